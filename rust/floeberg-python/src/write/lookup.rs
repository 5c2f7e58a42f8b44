//! Which rows of a table have a key of a source?

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, UInt32Array};
use arrow_schema::{DataType, Field};
use floeberg_commit::RowDelta;
use floeberg_core::{Cancel, Error, Result};
use floeberg_iceberg::lookup::{
    FoundRows as IcebergRows, MatchedStream, NullKeys, ReplacedRows as IcebergReplaced, ReplacedStream,
    SourceColumns, SourceKeys as IcebergKeys,
};
use floeberg_iceberg::write::Matching;
use floeberg_rows::{check_source_memory, differing_rows, source_memory};
use pyo3::prelude::*;

use crate::arrow::Column;
use crate::incoming::{RowSource, Unchecked};
use crate::pickle::refuse;
use crate::runtime::{self, Fed};
use crate::scan::engine_schema::EngineSchema;
use crate::scan::scan::Scan;
use crate::scan::stream::BatchReader;
use crate::table::table::Table;
use crate::write::conformed::conformed;
use crate::write::row_delta::RowDeltaReceipt;

/// The keys of a source, in memory.
#[pyclass(frozen, module = "floeberg._native")]
pub struct SourceKeys(pub Arc<IcebergKeys>);

#[pymethods]
impl SourceKeys {
    /// Of a `pyarrow.RecordBatchReader` of key columns of a table.
    #[staticmethod]
    #[pyo3(signature = (table, reader, *, columns, nulls, repeats))]
    fn of(
        py: Python<'_>,
        table: &Table,
        reader: &Bound<'_, PyAny>,
        columns: Vec<String>,
        nulls: &str,
        repeats: bool,
    ) -> PyResult<Self> {
        let mut source = RowSource::open(reader)?;
        let input = source.schema();
        let schema = Arc::clone(table.table.metadata().current_schema());
        let nulls = runtime::call(py, || null_keys(nulls))?;
        let take = move |_: &Cancel, batches: Fed<Unchecked>| {
            let ids = columns.iter().map(|name| schema.find(name, true)).collect::<Result<Vec<_>>>()?;
            let mut keys = IcebergKeys::new(&schema, &ids, nulls, repeats)?;
            let matching = Matching::new(keys.schema(), &input)?;
            conformed(batches, &matching, |rows| {
                keys.insert(&rows)?;
                check_source_memory(keys.memory() as u64)
            })?;
            Ok(keys)
        };
        let keys = runtime::feed(py, &Cancel::default(), |py| source.next(py), take, |_| Ok(()))?;
        Ok(Self(Arc::new(keys)))
    }

    /// Looks for rows with these keys in the snapshot of a scan.
    #[pyo3(signature = (scan, *, lists_all))]
    fn find(&self, py: Python<'_>, scan: &Scan, lists_all: bool) -> PyResult<FoundRows> {
        let (keys, scan) = (Arc::clone(&self.0), scan.inner().clone());
        let find = move |cancel: &Cancel| IcebergRows::find(&scan, keys, lists_all, cancel);
        runtime::run(py, &Cancel::default(), find).map(|found| FoundRows(Arc::new(found)))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("keys of a source", "the source"))
    }
}

/// What a null in a key means, by its word. Errors: `InvalidInput` for another word.
pub fn null_keys(text: &str) -> Result<NullKeys> {
    match text {
        "error" => Ok(NullKeys::Refused),
        "equal" => Ok(NullKeys::Equal),
        "unequal" => Ok(NullKeys::Unequal),
        other => {
            Err(Error::invalid_input(format!("null_keys: expected \"error\" or \"equal\", found {other:?}")))
        }
    }
}

/// Rows of a snapshot with a key of a source.
#[pyclass(frozen, module = "floeberg._native")]
pub struct FoundRows(pub Arc<IcebergRows>);

#[pymethods]
impl FoundRows {
    /// How many rows there are.
    fn __len__(&self) -> usize {
        usize::try_from(self.0.rows()).unwrap_or(usize::MAX)
    }

    /// The numbers of the rows of the source whose keys no row has.
    fn unmatched(&self, py: Python<'_>) -> PyResult<Column> {
        let rows: ArrayRef = Arc::new(UInt32Array::from(runtime::call(py, || Ok(self.0.unmatched()))?));
        Ok(Column(Field::new("row", DataType::UInt32, false), rows))
    }

    /// All columns of the rows, batch by batch; those that are not among `columns` are null.
    #[pyo3(signature = (scan, *, columns=None))]
    fn stream(&self, py: Python<'_>, scan: &Scan, columns: Option<Vec<String>>) -> PyResult<BatchReader> {
        let (found, scan) = (Arc::clone(&self.0), scan.inner().clone());
        BatchReader::open(py, EngineSchema::OfTable, move |cancel| {
            MatchedStream::of_rows(&scan, &found, columns.as_deref(), cancel)
        })
    }

    /// Compares the rows with a `pyarrow.RecordBatchReader` of columns of the source. A row whose row of the source is beyond its end
    /// goes.
    #[pyo3(signature = (scan, reader, *, columns))]
    fn replaced(
        &self,
        py: Python<'_>,
        scan: &Scan,
        reader: &Bound<'_, PyAny>,
        columns: Vec<String>,
    ) -> PyResult<ReplacedRows> {
        let mut source = RowSource::open(reader)?;
        let input = source.schema();
        let (found, scan) = (Arc::clone(&self.0), scan.inner().clone());
        let take = move |cancel: &Cancel, batches: Fed<Unchecked>| {
            let schema = scan.schema()?;
            let ids = columns.iter().map(|name| schema.find(name, true)).collect::<Result<Vec<_>>>()?;
            let mut of_source = SourceColumns::new(&schema, &ids)?;
            let matching = Matching::new(of_source.schema(), &input)?;
            conformed(batches, &matching, |rows| {
                of_source.insert(rows);
                Ok(())
            })?;
            found.replaced(&scan, Arc::new(of_source), cancel)
        };
        let replaced = runtime::feed(py, &Cancel::default(), |py| source.next(py), take, |_| Ok(()))?;
        Ok(ReplacedRows(Arc::new(replaced)))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("found rows", "the source, and look for them there"))
    }
}

/// Rows of a snapshot that a source changes.
#[pyclass(frozen, module = "floeberg._native")]
pub struct ReplacedRows(pub Arc<IcebergReplaced>);

#[pymethods]
impl ReplacedRows {
    /// Where the rows are that go or are replaced.
    fn places(&self, py: Python<'_>) -> PyResult<RowDeltaReceipt> {
        runtime::call(py, || Ok(RowDelta::of_positions(self.0.positions()))).map(RowDeltaReceipt)
    }

    /// What takes their place, batch by batch.
    fn stream(&self, py: Python<'_>, scan: &Scan) -> PyResult<BatchReader> {
        let (replaced, scan) = (Arc::clone(&self.0), scan.inner().clone());
        BatchReader::open(py, EngineSchema::OfTable, move |cancel| {
            ReplacedStream::open(&scan, &replaced, cancel)
        })
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("rows that are replaced", "the source, and look for them there"))
    }
}

/// All columns of the rows of a scan, with their places, batch by batch; those that are not among `columns` are null.
#[pyfunction]
#[pyo3(signature = (scan, *, columns=None))]
pub fn rows_with_places(py: Python<'_>, scan: &Scan, columns: Option<Vec<String>>) -> PyResult<BatchReader> {
    let scan = scan.inner().clone();
    BatchReader::open(py, EngineSchema::OfTable, move |cancel| {
        MatchedStream::of_scan(&scan, columns.as_deref(), cancel)
    })
}

/// Which rows of a `pyarrow.RecordBatchReader` of one batch have other values in the first half of their columns than in the second?
#[pyfunction]
pub fn differing(py: Python<'_>, reader: &Bound<'_, PyAny>) -> PyResult<Column> {
    let mut source = RowSource::open(reader)?;
    let batch = source.next(py)?;
    let rows = runtime::call(py, || {
        let Some(batch) = batch.map(Unchecked::checked).transpose()? else {
            return Err(Error::invalid_input("expected one batch"));
        };
        let (left, right) = batch.columns().split_at(batch.num_columns() / 2);
        Ok(differing_rows(left, right, batch.num_rows()))
    })?;
    let rows: ArrayRef = Arc::new(BooleanArray::new(rows, None));
    Ok(Column(Field::new("differs", DataType::Boolean, false), rows))
}

/// How many bytes of a source are kept in memory.
#[pyfunction]
#[pyo3(name = "source_memory")]
pub fn memory_of_source(py: Python<'_>) -> PyResult<u64> {
    runtime::call(py, source_memory)
}

/// Do so many bytes of a source fit into memory?
#[pyfunction]
#[pyo3(name = "check_source_memory")]
pub fn check_memory_of_source(py: Python<'_>, bytes: u64) -> PyResult<()> {
    runtime::call(py, || check_source_memory(bytes))
}
