//! What does `floeberg.LanceChangelogScan` ask of changes?

use floeberg_lance::changes::{Changelog, ChangelogStream};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrow::schema_capsule;
use crate::lance::pages::PythonPages;
use crate::lance::rows::LanceRows;
use crate::lance::table::LanceTable;
use crate::pickle::refuse;
use crate::runtime;
use crate::values::expression::Tree;

/// Changes of a range of versions.
#[pyclass(frozen, module = "floeberg._native")]
pub struct LanceChangelog(Changelog);

#[pymethods]
impl LanceChangelog {
    /// Changes after `start`, or from the first version on, up to `end`.
    #[staticmethod]
    #[pyo3(signature = (start, end, *, row_filter, selected_fields, case_sensitive, net))]
    fn of(
        py: Python<'_>,
        start: Option<PyRef<'_, LanceTable>>,
        end: PyRef<'_, LanceTable>,
        row_filter: Tree,
        selected_fields: Vec<String>,
        case_sensitive: bool,
        net: bool,
    ) -> PyResult<Self> {
        let (start, end) = (start.map(|start| start.0.clone()), end.0.clone());
        let make = || Changelog::new(start, end, row_filter.0, selected_fields, case_sensitive, net);
        runtime::call(py, make).map(Self)
    }

    /// Begins to read the changes.
    fn rows(&self, pages: &Bound<'_, PyAny>) -> LanceRows {
        let mut stream = ChangelogStream::new(self.0.clone(), PythonPages::of(pages));
        LanceRows::new(move |cancel| stream.next_batch(cancel))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.0.schema())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("changes", "the LanceChangelogScan"))
    }
}
