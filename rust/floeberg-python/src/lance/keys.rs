//! Which rows of a source have the keys of rows of a Lance table?
//!
//! Invariant: key columns come in the types that an index has. Python turns those of other types into them.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use arrow_schema::{DataType, Field};
use floeberg_core::rows::{KeyIndex, NO_ROW};
use floeberg_core::{Cancel, Error, Result};
use floeberg_iceberg::lookup::check_source_memory;
use pyo3::prelude::*;

use crate::arrow::Column;
use crate::incoming::{RowSource, Unchecked};
use crate::pickle::refuse;
use crate::runtime::{self, Fed};

/// The keys of a source, in memory.
#[pyclass(frozen, module = "floeberg._native")]
pub struct LanceKeys {
    index: Arc<KeyIndex>,
    repeated: Option<(usize, usize)>,
}

#[pymethods]
impl LanceKeys {
    /// Of a `pyarrow.RecordBatchReader` of key columns.
    #[staticmethod]
    #[pyo3(signature = (reader, *, nulls_are_equal))]
    fn of(py: Python<'_>, reader: &Bound<'_, PyAny>, nulls_are_equal: bool) -> PyResult<Self> {
        let mut source = RowSource::open(reader)?;
        let types = source.schema().fields().iter().map(|field| field.data_type().clone()).collect();
        let take = move |_: &Cancel, batches: Fed<Unchecked>| {
            let (mut index, mut repeated) = (KeyIndex::new(types, nulls_are_equal)?, None);
            for batch in batches {
                let found = index.insert(batch?.checked()?.columns())?;
                repeated = repeated.or(found);
                check_source_memory(index.memory() as u64)?;
            }
            Ok((index, repeated))
        };
        let (index, repeated) =
            runtime::feed(py, &Cancel::default(), |py| source.next(py), take, |_| Ok(()))?;
        Ok(Self { index: Arc::new(index), repeated })
    }

    /// The first row whose key an earlier one has, and that one.
    #[getter]
    fn repeated(&self) -> Option<(usize, usize)> {
        self.repeated
    }

    /// For the rows of one batch of key columns: numbers of its rows, and of the rows of the source with their keys. With
    /// `lists_all` rows without such a row are there too.
    #[pyo3(signature = (reader, *, lists_all))]
    fn find(&self, py: Python<'_>, reader: &Bound<'_, PyAny>, lists_all: bool) -> PyResult<(Column, Column)> {
        let batch = RowSource::open(reader)?.next(py)?;
        let (rows, of_source) = runtime::call(py, || {
            let Some(batch) = batch.map(Unchecked::checked).transpose()? else {
                return Err(Error::invalid_input("expected one batch"));
            };
            self.pairs(&batch, lists_all)
        })?;
        let rows: ArrayRef = Arc::new(UInt32Array::from(rows));
        let of_source: ArrayRef = Arc::new(UInt32Array::from(of_source));
        let field = |name: &str, nullable| Field::new(name, DataType::UInt32, nullable);
        Ok((Column(field("row", false), rows), Column(field("source", true), of_source)))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("keys of a source", "the source"))
    }
}

impl LanceKeys {
    fn pairs(&self, batch: &RecordBatch, lists_all: bool) -> Result<(Vec<u32>, Vec<Option<u32>>)> {
        let (mut rows, mut of_source) = (Vec::new(), Vec::new());
        for (row, found) in (0..).zip(self.index.find(batch.columns())?) {
            let mut source = Some(found).filter(|found| *found != NO_ROW);
            if source.is_none() && lists_all {
                rows.push(row);
                of_source.push(None);
            }
            while let Some(at) = source {
                rows.push(row);
                of_source.push(Some(at));
                source = self.index.next(at);
            }
        }
        Ok((rows, of_source))
    }
}
