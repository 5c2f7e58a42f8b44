//! Which fragments does a scan of a Lance table read?

use std::collections::HashSet;
use std::sync::Arc;

use floeberg_lance::read::ReadRequest;
use floeberg_lance::{Group, Scan};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use crate::arrow::Batch;
use crate::lance::task_group::LanceTaskGroup;
use crate::pickle::refuse;
use crate::runtime;

/// The fragments of a scan.
#[pyclass(frozen, module = "floeberg._native")]
pub struct LancePlan {
    pub scan: Scan,
    pub request: Arc<ReadRequest>,
}

#[pymethods]
impl LancePlan {
    /// The number of fragments.
    fn __len__(&self) -> usize {
        self.request.plan().len()
    }

    /// What fragments count for when the plan is split, in bytes.
    #[getter]
    fn weight(&self) -> u64 {
        Group::weight_of(&self.request)
    }

    /// The plan as a batch of columns.
    fn to_batch(&self, py: Python<'_>) -> PyResult<Batch> {
        runtime::call(py, || self.request.plan().to_arrow()).map(Batch)
    }

    /// A fragment, by its place: the fields of a `LanceTask`.
    fn task<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Bound<'py, PyDict>> {
        let task = runtime::call(py, || self.request.plan().task(place))?;
        let fields = PyDict::new(py);
        fields.set_item("fragment_id", task.fragment_id)?;
        fields.set_item("physical_rows", task.physical_rows)?;
        fields.set_item("deletion_file", task.deletion_file.map(|(_, location)| location))?;
        let files: Vec<_> = task
            .files
            .into_iter()
            .map(|file| (file.location, file.layout.version(), file.layout.fields, file.size_bytes))
            .collect();
        fields.set_item("data_files", files)?;
        Ok(fields)
    }

    /// Groups of about so many bytes.
    fn split(&self, py: Python<'_>, target_size: u64) -> PyResult<Vec<LanceTaskGroup>> {
        let groups = runtime::call(py, || Ok(Group::split(&self.request, target_size)))?;
        Ok(groups.into_iter().map(|group| LanceTaskGroup { scan: self.scan.clone(), group }).collect())
    }

    /// The fragments of some ids, as one group.
    fn of_fragments(&self, ids: HashSet<u64>) -> LanceTaskGroup {
        let group = Group::of_fragments(&self.request, &|id| ids.contains(&id));
        LanceTaskGroup { scan: self.scan.clone(), group }
    }

    /// All fragments, as one group.
    fn whole(&self) -> LanceTaskGroup {
        LanceTaskGroup { scan: self.scan.clone(), group: Group::whole(&self.request) }
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let batch = runtime::call(py, || self.request.plan().to_arrow())?;
        crate::arrow::schema_capsule(py, &batch.schema())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a plan", "the groups of LancePlan.split, or the LanceScan"))
    }
}
