//! How does Python write rows to files of a table?
//!
//! In: rows, as a stream of Arrow batches. Out: a receipt of the files that hold them.
//!
//! Invariant: Python is not held while rows are asked for: who gives them may need it on any thread. A write that fails
//! leaves no file.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::{RecordBatch, RecordBatchReader as _};
use arrow_schema::ArrowError;
use floeberg_core::{Cancel, Error, ErrorKind, Result, fenced};
use floeberg_iceberg::write::{Matching, WriteRecipe as IcebergRecipe, WriteTask, Writer};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrow::{import_schema, import_stream};
use crate::pickle::Envelope;
use crate::receipt::Receipt;
use crate::runtime;
use crate::table::Table;

const RECIPE: Envelope = Envelope { kind: "WriteRecipe", version: 1 };

/// Batches that wait while earlier ones are written.
const BATCHES_AHEAD: usize = 2;

/// How rows of one write become files of a table.
#[pyclass(frozen, module = "floeberg._native")]
pub struct WriteRecipe(pub IcebergRecipe);

#[pymethods]
impl WriteRecipe {
    /// Of a table as it is: its current schema, default spec and default sort order.
    #[staticmethod]
    #[pyo3(signature = (table, *, options, write_id))]
    fn of(
        py: Python<'_>,
        table: &Table,
        options: BTreeMap<String, String>,
        write_id: String,
    ) -> PyResult<Self> {
        let (metadata, storage) = (table.table.metadata(), &table.table.options().storage);
        runtime::call(py, || IcebergRecipe::new(metadata, storage, &options, &write_id)).map(Self)
    }

    /// What tells the files of this write from those of others.
    #[getter]
    fn write_id(&self) -> &str {
        self.0.write_id()
    }

    /// Writes the rows of a `pyarrow.RecordBatchReader`.
    #[pyo3(signature = (reader, *, task, partition))]
    fn write(
        &self,
        py: Python<'_>,
        reader: &Bound<'_, PyAny>,
        task: String,
        partition: u32,
    ) -> PyResult<Receipt> {
        let stream = import_stream(py, reader)?;
        let recipe = self.0.clone();
        let write = move |cancel: &Cancel| {
            let task = WriteTask { partition, name: &task };
            let matching = Matching::new(recipe.schema(), &stream.schema())?;
            let mut writer = Writer::new(&recipe, recipe.store()?, task, cancel)?;
            let mut rows = 0_u64;
            for batch in pull(stream)? {
                let batch = batch?;
                matching.apply_in_pieces(&batch, rows, &mut |rows| writer.write(&rows))?;
                rows = rows.saturating_add(batch.num_rows() as u64);
            }
            writer.finish()
        };
        runtime::run(py, &Cancel::default(), write).map(Receipt)
    }

    /// Do rows of a `pyarrow.Schema` fit the table? Raises one error that lists what does not.
    fn schema_fits(&self, py: Python<'_>, schema: &Bound<'_, PyAny>) -> PyResult<()> {
        let schema = import_schema(py, schema)?;
        runtime::call(py, || Matching::new(self.0.schema(), &schema).map(drop))
    }

    /// Removes the files of a receipt that no table has.
    fn remove(&self, py: Python<'_>, receipt: &Receipt) -> PyResult<()> {
        let (recipe, receipt) = (self.0.clone(), receipt.0.clone());
        let remove = move |_: &Cancel| {
            let store = recipe.store()?;
            // A table may have the files of another write.
            if let Some(other) = receipt.locations().find(|location| !recipe.names(location)) {
                let message = "the receipt names a file of another write: nothing was removed";
                return Err(Error::invalid_input(message).with("path", other));
            }
            receipt.locations().try_for_each(|location| store.remove(location))
        };
        runtime::run(py, &Cancel::default(), remove)
    }

    fn __repr__(&self) -> String {
        format!("WriteRecipe(write_id={:?})", self.0.write_id())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let (py, recipe) = (slf.py(), &slf.get().0);
        let bytes = runtime::call(py, || Ok(RECIPE.wrap(&recipe.to_bytes()?)))?;
        Ok((slf.get_type().getattr("_from_recipe")?, (PyBytes::new(py, &bytes),)))
    }

    /// Reads back what was pickled.
    #[staticmethod]
    fn _from_recipe(py: Python<'_>, recipe: &[u8]) -> PyResult<Self> {
        runtime::call(py, || IcebergRecipe::from_bytes(RECIPE.open(recipe)?)).map(Self)
    }
}

/// The batches of a stream, taken by a thread of their own, so that rows are made while others are written. It ends once
/// nobody takes them.
fn pull(mut stream: RecordBatchStreamReader) -> Result<Receiver<Result<RecordBatch>>> {
    let (sender, receiver) = sync_channel(BATCHES_AHEAD);
    let body = move || {
        loop {
            let batch = fenced(|| stream.next().transpose().map_err(|error| unreadable(&error))).transpose();
            let is_last = !matches!(batch, Some(Ok(_)));
            if batch.is_none_or(|batch| sender.send(batch).is_err()) || is_last {
                return;
            }
        }
    };
    let started = thread::Builder::new().name("floeberg-rows".to_owned()).spawn(body);
    started.map_err(|error| {
        Error::new(ErrorKind::Storage, "the system gives no further thread").caused_by(error)
    })?;
    Ok(receiver)
}

fn unreadable(error: &ArrowError) -> Error {
    Error::invalid_input(format!("the rows to write cannot be read: {error}"))
}
