//! Which keys of a source may have come into a Lance table?

use std::sync::Arc;

use floeberg_core::Cancel;
use floeberg_lance::SourceKeys;
use pyo3::prelude::*;

use crate::lance::pages::PythonPages;
use crate::lance::table::LanceTable;
use crate::pickle::refuse;
use crate::runtime;

/// The keys of a source, in memory.
#[pyclass(frozen, module = "floeberg._native")]
pub struct LanceKeys(pub Arc<SourceKeys>);

#[pymethods]
impl LanceKeys {
    /// Can a row that came into a table since a version was read have one of the keys: in a new fragment, or by a new value?
    fn may_have_come(
        &self,
        py: Python<'_>,
        read: &LanceTable,
        newest: &LanceTable,
        pages: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let (keys, read, newest) = (Arc::clone(&self.0), read.0.clone(), newest.0.clone());
        let pages = PythonPages::of(pages);
        let look = move |cancel: &Cancel| keys.may_have_come(&read, &newest, &pages, cancel);
        runtime::asking(py, &Cancel::default(), look)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("keys of a source", "the source"))
    }
}
