//! How does Python write data files of Lance tables?
//!
//! In: rows, and what encodes them. Out: files that no version names yet.
//!
//! Invariant: a call that fails leaves no file.

use std::collections::BTreeMap;

use arrow_schema::SchemaRef;
use floeberg_core::{Cancel, Result};
use floeberg_io::open_store;
use floeberg_lance::pages::PageBatches as _;
use floeberg_lance::write::{DataFileWriter, DataFiles, Destination, Input, write_rows};
use pyo3::prelude::*;

use crate::incoming::{RowSource, import_schema};
use crate::lance::operation::FileParts;
use crate::lance::pages::{PythonBatches, PythonPages};
use crate::pickle::refuse;
use crate::runtime;

/// Data files that were written, and that no version names yet.
#[pyclass(frozen, module = "floeberg._native")]
pub struct LanceDataFiles(pub DataFiles);

#[pymethods]
impl LanceDataFiles {
    /// Name, rows and bytes of each file.
    fn parts(&self) -> Vec<FileParts> {
        self.0.files().iter().map(|file| (file.name.clone(), file.rows, file.size_bytes)).collect()
    }

    /// The number of files.
    fn __len__(&self) -> usize {
        self.0.files().len()
    }

    /// The number of their rows.
    #[getter]
    fn rows(&self) -> u64 {
        self.0.rows()
    }

    /// Their bytes.
    #[getter]
    fn size_bytes(&self) -> u64 {
        self.0.size_bytes()
    }

    /// Removes the files. What cannot be removed stays, and harms nobody.
    fn remove(&self, py: Python<'_>) -> PyResult<()> {
        let files = self.0.clone();
        runtime::run(py, &Cancel::default(), move |_| {
            files.remove();
            Ok(())
        })
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("data files", "a LanceWriteRecipe, and write there"))
    }
}

/// Writes the rows of a `pyarrow.RecordBatchReader` to data files with the columns of a `pyarrow.Schema`, below the folder of a table
/// or of its branch.
///
/// `of_table`: rows have the columns of a table by their names, and lack some; otherwise all of them by their places. `pages` is a
/// `floeberg.lance.pages.Pages`.
#[pyfunction]
#[pyo3(signature = (
    reader, schema, pages, *, folder, storage_options, data_storage_version, rows_per_file, of_table
))]
#[expect(clippy::too_many_arguments, reason = "keywords")]
pub fn write_lance_rows(
    py: Python<'_>,
    reader: &Bound<'_, PyAny>,
    schema: &Bound<'_, PyAny>,
    pages: &Bound<'_, PyAny>,
    folder: String,
    storage_options: BTreeMap<String, String>,
    data_storage_version: String,
    rows_per_file: u64,
    of_table: bool,
) -> PyResult<LanceDataFiles> {
    let schema = SchemaRef::new(import_schema(py, schema)?);
    let (mut rows, pages) = (PythonBatches::of(RowSource::open(reader)?), PythonPages::of(pages));
    let input = if of_table { Input::OfTable } else { Input::Plain };
    let write = move |cancel: &Cancel, _| -> Result<DataFiles> {
        let store = open_store(&storage_options.into_iter().collect())?;
        let destination = Destination { folder, store, version: data_storage_version, pages };
        let writer = DataFileWriter::new(destination, schema, rows_per_file);
        write_rows(writer, &rows.schema(), input, || rows.next_batch(), cancel)
    };
    let undo = |files: DataFiles| {
        files.remove();
        Ok(())
    };
    runtime::asking_undone(py, &Cancel::default(), write, undo).map(LanceDataFiles)
}
