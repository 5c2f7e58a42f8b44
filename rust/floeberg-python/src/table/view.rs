//! What does `floeberg.View` ask of an Iceberg view?

use std::collections::BTreeMap;

use floeberg_core::Cancel;
use floeberg_iceberg::{OpenOptions, View as IcebergView};
use floeberg_io::location::shown;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::to_open_exception;
use crate::recipe::{view_from_bytes, view_to_bytes};
use crate::runtime;

/// An Iceberg view, opened.
#[pyclass(frozen, module = "floeberg._native")]
pub struct View(IcebergView);

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
