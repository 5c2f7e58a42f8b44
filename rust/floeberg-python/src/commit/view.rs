//! What does Python ask to be done to a view, and how does it try a commit?
//!
//! Invariant: retries, and what is known of outcomes, are Python's. Nothing is removed here.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_commit::{
    NewVersion, NewView, ViewAttempt as IcebergAttempt, ViewOperation as IcebergOperation,
};
use floeberg_core::{Cancel, Result};
use floeberg_io::Location;
use pyo3::prelude::*;

use crate::pickle::refuse;
use crate::runtime;
use crate::table::view::View;
use crate::values::json::json;

/// An operation on a view, not bound to a base yet.
#[pyclass(frozen, module = "floeberg._native")]
pub struct ViewOperation(IcebergOperation);

#[pymethods]
impl ViewOperation {
    #[staticmethod]
    #[pyo3(signature = (*, schema_json, version_json, location, properties))]
    fn create(
        py: Python<'_>,
        schema_json: &str,
        version_json: &str,
        location: String,
        properties: BTreeMap<String, String>,
    ) -> PyResult<Self> {
        let read = || Ok(NewView { version: new_version(schema_json, version_json)?, location, properties });
        runtime::call(py, read).map(|view| Self(IcebergOperation::Create(Box::new(view))))
    }

    #[staticmethod]
    #[pyo3(signature = (*, schema_json, version_json, expected_version_id, properties, location))]
    fn replace(
        py: Python<'_>,
        schema_json: &str,
        version_json: &str,
        expected_version_id: Option<i32>,
        properties: BTreeMap<String, String>,
        location: Option<String>,
    ) -> PyResult<Self> {
        let version = Box::new(runtime::call(py, || new_version(schema_json, version_json))?);
        Ok(Self(IcebergOperation::Replace { version, expected_version_id, properties, location }))
    }

    #[staticmethod]
    #[pyo3(signature = (*, updates, removals))]
    fn update_properties(updates: BTreeMap<String, String>, removals: Vec<String>) -> Self {
        Self(IcebergOperation::UpdateProperties { updates, removals })
    }

    #[staticmethod]
    fn set_location(py: Python<'_>, location: &str) -> PyResult<Self> {
        let location = runtime::call(py, || Location::from_user(location))?;
        Ok(Self(IcebergOperation::SetLocation(location)))
    }

    /// Tries it on a base; `None` makes the view, with these storage options.
    #[pyo3(signature = (base, *, storage_options))]
    fn attempt(
        &self,
        py: Python<'_>,
        base: Option<PyRef<'_, View>>,
        storage_options: BTreeMap<String, String>,
    ) -> PyResult<ViewAttempt> {
        let base = base.map(|view| view.0.clone());
        let storage = storage_options.into_iter().collect();
        runtime::call(py, || self.0.attempt(base.as_ref(), &storage))
            .map(|attempt| ViewAttempt(Arc::new(attempt)))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a ViewOperation", "what it was made of"))
    }
}

fn new_version(schema_json: &str, version_json: &str) -> Result<NewVersion> {
    NewVersion::from_json(&json("schema", Some(schema_json))?, json("view version", Some(version_json))?)
}

/// An operation on one base.
#[pyclass(frozen, module = "floeberg._native")]
pub struct ViewAttempt(Arc<IcebergAttempt>);

#[pymethods]
impl ViewAttempt {
    #[getter]
    fn changes(&self) -> bool {
        self.0.changes()
    }

    #[getter]
    fn metadata_json(&self, py: Python<'_>) -> PyResult<String> {
        runtime::call(py, || Ok(self.0.metadata().to_json()?.to_string()))
    }

    #[getter]
    fn requirements_json(&self) -> String {
        self.0.requirements_json().to_string()
    }

    #[getter]
    fn updates_json(&self, py: Python<'_>) -> PyResult<String> {
        runtime::call(py, || Ok(self.0.updates_json()?.to_string()))
    }

    fn new_metadata_location(&self, py: Python<'_>) -> PyResult<String> {
        runtime::call(py, || self.0.new_metadata_location())
    }

    fn write_metadata(&self, py: Python<'_>, location: String) -> PyResult<()> {
        let attempt = Arc::clone(&self.0);
        runtime::run(py, &Cancel::default(), move |_| attempt.write_metadata(&location))
    }

    fn view(&self, metadata_location: &str) -> View {
        View(self.0.view(metadata_location))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a ViewAttempt", "its operation"))
    }
}
