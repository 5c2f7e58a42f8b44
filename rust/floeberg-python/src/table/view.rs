//! What does `floeberg.View` ask of an Iceberg view?

use std::collections::BTreeMap;

use floeberg_core::{Cancel, Context};
use floeberg_iceberg::{OpenOptions, View as IcebergView};
use floeberg_io::location::shown;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::to_open_exception;
use crate::recipe::{view_from_bytes, view_to_bytes};
use crate::runtime;

/// An Iceberg view, opened.
#[pyclass(frozen, module = "floeberg._native")]
pub struct View(pub IcebergView);

#[pymethods]
impl View {
    #[staticmethod]
    #[pyo3(signature = (location, *, relocate, storage_options))]
    fn open(
        py: Python<'_>,
        location: String,
        relocate: Vec<(String, String)>,
        storage_options: BTreeMap<String, String>,
    ) -> PyResult<Self> {
        let storage = storage_options.into_iter().collect();
        let options = OpenOptions { relocate, storage, ..OpenOptions::default() };
        let opened = runtime::wait(py, &Cancel::default(), move |_| IcebergView::open(&location, options))?;
        opened.map(Self).map_err(|error| to_open_exception(py, "NoSuchViewError", &error))
    }

    /// Opens the metadata file that a catalog names: its location is taken as it was written.
    #[staticmethod]
    #[pyo3(signature = (metadata_location, *, storage_options))]
    fn open_metadata(
        py: Python<'_>,
        metadata_location: String,
        storage_options: BTreeMap<String, String>,
    ) -> PyResult<Self> {
        let options = options_of(storage_options);
        let opened = runtime::wait(py, &Cancel::default(), move |_| {
            IcebergView::open_at(&metadata_location, options)
        })?;
        opened.map(Self).map_err(|error| to_open_exception(py, "NoSuchViewError", &error))
    }

    /// Opens metadata that a catalog gave, with the location of its file, which is not read.
    #[staticmethod]
    #[pyo3(signature = (metadata_json, metadata_location, *, storage_options))]
    fn from_metadata(
        py: Python<'_>,
        metadata_json: &str,
        metadata_location: &str,
        storage_options: BTreeMap<String, String>,
    ) -> PyResult<Self> {
        let options = options_of(storage_options);
        runtime::call(py, || {
            IcebergView::from_metadata(metadata_json.as_bytes(), metadata_location, options).map(Self)
        })
    }

    /// Raises `NoSuchViewError` unless `later` is metadata of the same view.
    fn check_same_view(&self, py: Python<'_>, later: &Self) -> PyResult<()> {
        let checked = self.0.metadata().check_same_view(later.0.metadata());
        checked
            .context("path", later.0.metadata_location())
            .map_err(|error| to_open_exception(py, "NoSuchViewError", &error))
    }

    /// The storage options that it was opened with, secrets among them.
    #[getter]
    fn storage_options(&self) -> BTreeMap<String, String> {
        let options = self.0.options().storage.iter();
        options.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    #[getter]
    fn metadata_location(&self) -> &str {
        self.0.metadata_location()
    }

    /// The metadata, as JSON text.
    fn metadata_json(&self, py: Python<'_>) -> PyResult<String> {
        runtime::call(py, || Ok(self.0.metadata().to_json()?.to_string()))
    }

    fn __repr__(&self) -> String {
        format!("View({:?})", shown(self.0.metadata_location()))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let (py, view) = (slf.py(), &slf.get().0);
        let bytes = runtime::call(py, || view_to_bytes(view))?;
        Ok((slf.get_type().getattr("_from_recipe")?, (PyBytes::new(py, &bytes),)))
    }

    /// Opens what was pickled.
    #[staticmethod]
    fn _from_recipe(py: Python<'_>, recipe: Vec<u8>) -> PyResult<Self> {
        runtime::run(py, &Cancel::default(), move |_| view_from_bytes(&recipe)).map(Self)
    }
}

fn options_of(storage_options: BTreeMap<String, String>) -> OpenOptions {
    OpenOptions { storage: storage_options.into_iter().collect(), ..OpenOptions::default() }
}
