//! What does `floeberg.LanceScan` ask of a scan?
//!
//! Invariant: its names and literals are valid: mistakes were raised when it was made.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use floeberg_core::Cancel;
use floeberg_io::location;
use floeberg_lance::Scan;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

use crate::arrow::schema_capsule;
use crate::lance::plan::LancePlan;
use crate::lance::recipe::{scan_from_bytes, scan_to_bytes};
use crate::runtime;
use crate::values::expression::{Tree, unbind};

/// How many characters of a filter a repr shows.
const MOST_SHOWN: usize = 1000;

/// Rows and columns of one version.
#[pyclass(frozen, module = "floeberg._native")]
pub struct LanceScan(Scan);

impl LanceScan {
    pub fn inner(&self) -> &Scan {
        &self.0
    }

    /// A scan whose names and literals are right.
    pub fn checked(py: Python<'_>, scan: Scan) -> PyResult<Self> {
        runtime::call(py, || scan.request().map(drop))?;
        Ok(Self(scan))
    }
}

#[pymethods]
impl LanceScan {
    fn filter(&self, py: Python<'_>, row_filter: Tree) -> PyResult<Self> {
        Self::checked(py, self.0.clone().filter(row_filter.0))
    }

    fn select(&self, py: Python<'_>, field_names: Vec<String>) -> PyResult<Self> {
        Self::checked(py, self.0.clone().select(field_names))
    }

    /// The filter, with literals of the columns' types.
    fn row_filter(&self, py: Python<'_>) -> PyResult<Tree> {
        runtime::call(py, || Ok(unbind(self.0.request()?.bound_filter()))).map(Tree)
    }

    /// At most so many rows.
    #[getter]
    fn limit(&self) -> Option<u64> {
        self.0.row_limit()
    }

    /// The folder of the table, or of its branch.
    #[getter]
    fn folder(&self) -> &str {
        self.0.table().bases().folder()
    }

    #[getter]
    fn version(&self) -> u64 {
        self.0.table().version()
    }

    /// The storage options that the table was opened with, secrets among them.
    #[getter]
    fn storage_options(&self) -> BTreeMap<String, String> {
        let options = self.0.table().options().storage.iter();
        options.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    /// Finds the fragments.
    fn plan(&self, py: Python<'_>) -> PyResult<LancePlan> {
        let request = runtime::call(py, || self.0.request())?;
        Ok(LancePlan { scan: self.0.clone(), request })
    }

    /// The number of rows, where metadata tell it.
    fn count_without_rows(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        let scan = self.0.clone();
        runtime::run(py, &Cancel::default(), move |_| scan.count_without_rows())
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let request = runtime::call(py, || self.0.request())?;
        schema_capsule(py, request.schema())
    }

    fn __repr__(&self) -> String {
        let scan = &self.0;
        let mut text = format!("LanceScan({:?}", location::shown(scan.table().manifest_location()));
        let filter = scan.row_filter().to_string();
        let shown = match filter.char_indices().nth(MOST_SHOWN) {
            Some((end, _)) => format!("{}...", &filter[..end]),
            None => filter,
        };
        let _infallible = write!(text, ", row_filter={shown:?}");
        if let Some(names) = scan.selected_fields() {
            let _infallible = write!(text, ", selected_fields={names:?}");
        }
        if let Some(limit) = scan.row_limit() {
            let _infallible = write!(text, ", limit={limit}");
        }
        text + ")"
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let (py, scan) = (slf.py(), &slf.get().0);
        let bytes = runtime::call(py, || scan_to_bytes(scan))?;
        Ok((slf.get_type().getattr("_from_recipe")?, (PyBytes::new(py, &bytes),)))
    }

    /// Opens what was pickled.
    #[staticmethod]
    fn _from_recipe(py: Python<'_>, recipe: Vec<u8>) -> PyResult<Self> {
        let work = move |_: &Cancel| scan_from_bytes(&recipe);
        runtime::run(py, &Cancel::default(), work).map(Self)
    }
}
