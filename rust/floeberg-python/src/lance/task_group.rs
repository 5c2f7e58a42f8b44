//! What does a worker need to read its part of a Lance table?

use floeberg_lance::{Fragments, Group, RowStream, Scan};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

use crate::arrow::schema_capsule;
use crate::lance::pages::PythonPages;
use crate::lance::recipe::{group_from_bytes, group_to_bytes};
use crate::lance::rows::LanceRows;
use crate::runtime;

/// Some fragments of a scan.
#[pyclass(frozen, module = "floeberg._native")]
pub struct LanceTaskGroup {
    pub scan: Scan,
    pub group: Group,
}

#[pymethods]
impl LanceTaskGroup {
    /// The number of fragments.
    fn __len__(&self) -> usize {
        self.group.parts().len()
    }

    /// The rows of the fragments, deleted ones included.
    #[getter]
    fn physical_rows(&self) -> u64 {
        self.group.physical_rows()
    }

    /// The storage options that the table was opened with, secrets among them.
    #[getter]
    fn storage_options(&self) -> std::collections::BTreeMap<String, String> {
        let options = self.scan.table().options().storage.iter();
        options.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    /// Begins to read the rows.
    #[pyo3(signature = (pages, *, limit=None))]
    fn rows(&self, pages: &Bound<'_, PyAny>, limit: Option<u64>) -> LanceRows {
        let group = Fragments::Group(self.group.clone());
        let mut stream = RowStream::new(group, PythonPages::of(pages), limit);
        LanceRows::new(move |_| stream.next_batch())
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, self.group.request().schema())
    }

    fn __repr__(&self) -> String {
        format!("LanceTaskGroup({} fragments)", self.group.parts().len())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let (py, this) = (slf.py(), slf.get());
        let bytes = runtime::call(py, || group_to_bytes(&this.scan, &this.group))?;
        Ok((slf.get_type().getattr("_from_recipe")?, (PyBytes::new(py, &bytes),)))
    }

    /// Makes what was pickled. No file is opened.
    #[staticmethod]
    fn _from_recipe(py: Python<'_>, recipe: Vec<u8>) -> PyResult<Self> {
        let (scan, group) = runtime::call(py, || group_from_bytes(&recipe))?;
        Ok(Self { scan, group })
    }
}
