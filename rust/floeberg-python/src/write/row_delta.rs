//! Which rows did a worker delete, and which files did it write and replace, on their way to a commit?
//!
//! Invariant: positions are those of data files as the table has them: nothing is written before the commit.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{DataType, Field};
use floeberg_commit::{Operation as IcebergOperation, RowDelta};
use floeberg_core::schema::Schema;
use floeberg_core::schema::reserved::{FILE, POS, metadata_column};
use floeberg_core::{Cancel, Error, Result};
use floeberg_iceberg::write::{KeyRecipe as IcebergKeyRecipe, Matching, WriteTask};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use roaring::RoaringTreemap;

use crate::arrow::Column;
use crate::incoming::{RowSource, Unchecked};
use crate::pickle::Envelope;
use crate::runtime::{self, Fed};
use crate::table::table::Table;
use crate::write::conformed::conformed;
use crate::write::receipt::Receipt;

const RECEIPT: Envelope = Envelope { kind: "RowDeltaReceipt", version: 1 };
const KEYS: Envelope = Envelope { kind: "KeyRecipe", version: 1 };

/// Rows that are deleted, and files that come and go.
#[pyclass(frozen, module = "floeberg._native")]
pub struct RowDeltaReceipt(pub RowDelta);

#[pymethods]
impl RowDeltaReceipt {
    /// Of files that were written.
    #[staticmethod]
    fn of_files(receipt: &Receipt) -> Self {
        Self(RowDelta { added: receipt.0.clone(), ..RowDelta::default() })
    }

    /// Of rows that are deleted: a `pyarrow.RecordBatchReader` with `_file` and `_pos`.
    #[staticmethod]
    fn of_rows(py: Python<'_>, reader: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut source = RowSource::open(reader)?;
        let schema = source.schema();
        let take = move |_: &Cancel, batches: Fed<Unchecked>| {
            let matching = Matching::new(&Arc::new(places_schema()?), &schema)?;
            let (mut deleted_rows, mut repeated) = (BTreeMap::new(), None);
            conformed(batches, &matching, |rows| take_positions(&rows, &mut deleted_rows, &mut repeated))?;
            Ok(RowDelta { deleted_rows, repeated, ..RowDelta::default() })
        };
        runtime::feed(py, &Cancel::default(), |py| source.next(py), take, |_| Ok(())).map(Self)
    }

    /// Of data files that go: rows of them that stay were written again.
    #[staticmethod]
    fn of_replaced(paths: Vec<String>) -> Self {
        Self(RowDelta { replaced: paths.into_iter().collect(), ..RowDelta::default() })
    }

    /// The rows and files of several receipts.
    #[staticmethod]
    fn concat(py: Python<'_>, receipts: Vec<PyRef<'_, Self>>) -> PyResult<Self> {
        let all: Vec<RowDelta> = receipts.iter().map(|receipt| receipt.0.clone()).collect();
        runtime::call(py, || RowDelta::concat(all)).map(Self)
    }

    /// The files that were written.
    #[getter]
    fn added(&self) -> Receipt {
        Receipt(self.0.added.clone())
    }

    /// The rows that are deleted by position.
    #[getter]
    fn deleted_rows(&self) -> u64 {
        self.0.deleted_rows.values().map(RoaringTreemap::len).sum()
    }

    /// The data files of these rows.
    fn files_with_deletes(&self) -> Vec<&str> {
        self.0.deleted_rows.keys().map(String::as_str).collect()
    }

    /// The deleted rows of some data files alone.
    fn only(&self, paths: Vec<String>) -> Self {
        let of = |path: String| Some((path.clone(), self.0.deleted_rows.get(&path)?.clone()));
        Self(RowDelta { deleted_rows: paths.into_iter().filter_map(of).collect(), ..RowDelta::default() })
    }

    /// Which rows of one batch with `_file` and `_pos` stay.
    fn kept(&self, py: Python<'_>, reader: &Bound<'_, PyAny>) -> PyResult<Column> {
        let mut source = RowSource::open(reader)?;
        let schema = source.schema();
        let batch = source.next(py)?;
        let rows = runtime::call(py, || {
            let matching = Matching::new(&Arc::new(places_schema()?), &schema)?;
            let mut kept = Vec::new();
            conformed(batch.map(Ok).into_iter(), &matching, |rows| {
                kept_rows(&rows, &self.0.deleted_rows, &mut kept);
                Ok(())
            })?;
            Ok(kept)
        })?;
        let rows: ArrayRef = Arc::new(BooleanArray::from(rows));
        Ok(Column(Field::new("kept", DataType::Boolean, false), rows))
    }

    /// The data files that go.
    fn replaced_files(&self) -> Vec<&str> {
        self.0.replaced.iter().map(String::as_str).collect()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let (py, delta) = (slf.py(), slf.get().0.clone());
        let write = || Ok(RECEIPT.wrap(&IcebergOperation::RowDelta(Box::new(delta)).to_bytes()?));
        let bytes = runtime::call(py, write)?;
        Ok((slf.get_type().getattr("_from_recipe")?, (PyBytes::new(py, &bytes),)))
    }

    /// Reads back what was pickled.
    #[staticmethod]
    fn _from_recipe(py: Python<'_>, recipe: &[u8]) -> PyResult<Self> {
        let read = || match IcebergOperation::from_bytes(RECEIPT.open(recipe)?)? {
            IcebergOperation::RowDelta(delta) => Ok(*delta),
            other => Err(Error::invalid_input(format!("expected a row delta, found {}", other.name()))),
        };
        runtime::call(py, read).map(Self)
    }
}

/// `_file` and `_pos`.
fn places_schema() -> Result<Schema> {
    Schema::new(0, [FILE, POS].into_iter().filter_map(metadata_column).collect())
}

/// Adds which rows of a batch of paths and positions are not deleted.
fn kept_rows(rows: &RecordBatch, deleted: &BTreeMap<String, RoaringTreemap>, kept: &mut Vec<bool>) {
    let (paths, positions) = (rows.column(0).as_string::<i32>(), rows.column(1).as_primitive::<Int64Type>());
    let mut row = 0;
    while row < rows.num_rows() {
        let path = paths.value(row);
        let of_file = deleted.get(path);
        while row < rows.num_rows() && paths.value(row) == path {
            let position = u64::try_from(positions.value(row));
            let goes = of_file.is_some_and(|all| position.is_ok_and(|position| all.contains(position)));
            kept.push(!goes);
            row += 1;
        }
    }
}

/// Adds the positions of a batch of paths and positions.
fn take_positions(
    rows: &RecordBatch,
    deleted: &mut BTreeMap<String, RoaringTreemap>,
    repeated: &mut Option<(String, u64)>,
) -> Result<()> {
    let (paths, positions) = (rows.column(0).as_string::<i32>(), rows.column(1).as_primitive::<Int64Type>());
    let mut row = 0;
    while row < rows.num_rows() {
        let path = paths.value(row);
        if path.is_empty() {
            return Err(Error::invalid_input("a row to delete has no file: expected its column _file"));
        }
        let of_file = match deleted.get_mut(path) {
            Some(known) => known,
            None => deleted.entry(path.to_owned()).or_default(),
        };
        while row < rows.num_rows() && paths.value(row) == path {
            let position = u64::try_from(positions.value(row)).map_err(|_| {
                let message = format!("a row has a position from 0, found {}", positions.value(row));
                Error::invalid_input(message).with("file_path", path)
            })?;
            if !of_file.insert(position) && repeated.is_none() {
                *repeated = Some((path.to_owned(), position));
            }
            row += 1;
        }
    }
    Ok(())
}

/// How keys of deleted rows become files.
#[pyclass(frozen, module = "floeberg._native")]
pub struct KeyRecipe(pub IcebergKeyRecipe);

impl KeyRecipe {
    /// The recipe.
    pub fn inner(&self) -> &IcebergKeyRecipe {
        &self.0
    }
}

#[pymethods]
impl KeyRecipe {
    /// Of a table, with its key columns, and the specs that a branch has data files of.
    #[staticmethod]
    #[pyo3(signature = (table, *, columns, branch, options, write_id))]
    fn of(
        py: Python<'_>,
        table: &Table,
        columns: Vec<String>,
        branch: String,
        options: BTreeMap<String, String>,
        write_id: String,
    ) -> PyResult<Self> {
        let table = table.table.clone();
        let make = move |cancel: &Cancel| {
            let metadata = table.metadata();
            let snapshot = match metadata.refs.get(&branch) {
                Some(_) => Some(metadata.snapshot_of_ref(&branch)?),
                None => metadata.current_snapshot(),
            };
            let live = snapshot.map(|snapshot| table.live_specs(snapshot, cancel)).transpose()?;
            let storage = &table.options().storage;
            IcebergKeyRecipe::new(metadata, storage, &options, &write_id, &columns, live.unwrap_or_default())
        };
        runtime::run(py, &Cancel::default(), make).map(Self)
    }

    /// Writes the keys of a `pyarrow.RecordBatchReader`.
    #[pyo3(signature = (reader, *, task, partition))]
    fn write(
        &self,
        py: Python<'_>,
        reader: &Bound<'_, PyAny>,
        task: String,
        partition: u32,
    ) -> PyResult<Receipt> {
        let mut source = RowSource::open(reader)?;
        let schema = source.schema();
        let recipe = self.0.clone();
        let write = move |cancel: &Cancel, batches: Fed<Unchecked>| {
            let mut writer = recipe.writer(WriteTask { partition, name: &task }, cancel)?;
            let matching = Matching::new(writer.schema(), &schema)?;
            conformed(batches, &matching, |rows| writer.write(&rows))?;
            writer.finish()
        };
        let undo = |written: floeberg_iceberg::write::Receipt| self.0.remove(&written);
        runtime::feed(py, &Cancel::default(), |py| source.next(py), write, undo).map(Receipt)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let (py, recipe) = (slf.py(), slf.get().0.clone());
        let bytes = runtime::call(py, || Ok(KEYS.wrap(&recipe.to_bytes()?)))?;
        Ok((slf.get_type().getattr("_from_recipe")?, (PyBytes::new(py, &bytes),)))
    }

    /// Reads back what was pickled.
    #[staticmethod]
    fn _from_recipe(py: Python<'_>, recipe: &[u8]) -> PyResult<Self> {
        runtime::call(py, || IcebergKeyRecipe::from_bytes(KEYS.open(recipe)?)).map(Self)
    }
}
