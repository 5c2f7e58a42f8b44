//! What does `floeberg.Plan` ask of a plan?
//!
//! Invariant: data manifests are read when the plan is first used, and no Python object is made per file
//! until one is.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use floeberg_core::{Cancel, Context};
use floeberg_iceberg::plan::{Plan as IcebergPlan, PlanStream, SplitRequest};
use floeberg_iceberg::{GroupRecipe, ReadRecipe, Scan as IcebergScan};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use crate::arrow::{schema_capsule, stream_capsule};
use crate::pickle::refuse;
use crate::runtime;
use crate::scan::engine_schema::EngineSchema;
use crate::scan::explain::{ToRead, describe_explain};
use crate::scan::stream::BatchReader;
use crate::scan::task::{TaskParts, describe_delete, describe_task};
use crate::scan::task_group::TaskGroup;
use crate::values::expression::{Tree, unbind};

/// The files of a scan, as columns.
#[pyclass(frozen, module = "floeberg._native")]
pub struct Plan {
    scan: IcebergScan,
    /// A plan whose data manifests were not read yet, and what cancels it. Empty once they are read.
    begun: Mutex<Option<(PlanStream, Cancel)>>,
    whole: OnceLock<Arc<IcebergPlan>>,
}

impl Plan {
    /// Begins to plan a scan.
    pub fn begin(py: Python<'_>, scan: &IcebergScan) -> PyResult<Self> {
        let (stream, cancel) = begin(py, scan)?;
        Ok(Self::begun(scan, stream, cancel))
    }

    /// A plan of a scan whose data manifests are read when it is first used.
    pub fn begun(scan: &IcebergScan, stream: PlanStream, cancel: Cancel) -> Self {
        Self { scan: scan.clone(), begun: Mutex::new(Some((stream, cancel))), whole: OnceLock::new() }
    }

    /// A plan of a scan that was read.
    pub fn of(scan: &IcebergScan, whole: IcebergPlan) -> Self {
        let whole = OnceLock::from(Arc::new(whole));
        Self { scan: scan.clone(), begun: Mutex::new(None), whole }
    }

    /// The plan that was begun, or a new one if that was consumed.
    fn stream(&self, py: Python<'_>) -> PyResult<(PlanStream, Cancel)> {
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner).take();
        begun.map_or_else(|| begin(py, &self.scan), Ok)
    }

    /// What is planned.
    pub fn scan(&self) -> &IcebergScan {
        &self.scan
    }

    /// The whole plan; plans what is left of it.
    pub fn whole(&self, py: Python<'_>) -> PyResult<Arc<IcebergPlan>> {
        if let Some(plan) = self.whole.get() {
            return Ok(Arc::clone(plan));
        }
        let (stream, cancel) = self.stream(py)?;
        let plan = runtime::run(py, &cancel, move |_| stream.collect())?;
        Ok(Arc::clone(self.whole.get_or_init(|| Arc::new(plan))))
    }
}

/// Begins to plan.
fn begin(py: Python<'_>, scan: &IcebergScan) -> PyResult<(PlanStream, Cancel)> {
    let (scan, cancel) = (scan.clone(), Cancel::default());
    let stream = runtime::run(py, &cancel, move |cancel| scan.plan_stream(cancel))?;
    Ok((stream, cancel))
}

#[pymethods]
impl Plan {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.whole(py)?.len())
    }

    /// How many files there are, if that is known by now.
    #[getter]
    fn known_length(&self) -> Option<usize> {
        self.whole.get().map(|plan| plan.len())
    }

    /// The columns, batch by batch: as they are planned, where they were not before.
    fn batches(&self, py: Python<'_>) -> PyResult<BatchReader> {
        if let Some(plan) = self.whole.get() {
            let chunks: Vec<_> = plan.to_arrow().1.to_vec();
            return Ok(BatchReader::of(chunks.into_iter(), EngineSchema::OfTable, Cancel::default()));
        }
        let (stream, cancel) = self.stream(py)?;
        Ok(BatchReader::of(stream.without_keeping(), EngineSchema::OfTable, cancel))
    }

    /// A plan of some of the files, by their numbers.
    fn only(&self, py: Python<'_>, numbers: Vec<usize>) -> PyResult<Self> {
        let plan = self.whole(py)?;
        let some = runtime::call(py, || plan.only(&numbers))?;
        Ok(Self::of(&self.scan, some))
    }

    /// A file by its number.
    fn task<'py>(&self, py: Python<'py>, number: usize) -> PyResult<TaskParts<'py>> {
        let plan = self.whole(py)?;
        let metadata = self.scan.table().metadata();
        let (task, spec) = runtime::call(py, || {
            let task = plan.task(number)?;
            let spec = metadata.spec(task.spec_id)?;
            Ok((task, spec))
        })?;
        describe_task(py, &task, spec)
    }

    fn delete_files<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.whole(py)?.delete_files().iter().map(|delete| describe_delete(py, delete)).collect()
    }

    fn residuals(&self, py: Python<'_>) -> PyResult<Vec<Tree>> {
        Ok(self.whole(py)?.residuals().iter().map(|residual| Tree(unbind(residual))).collect())
    }

    /// Groups of about the target's size; or, with a number of groups, that many groups of even size.
    #[pyo3(signature = (target_size=None, open_file_cost=None, lookback=None, most_groups=None, least_size=None))]
    fn split(
        &self,
        py: Python<'_>,
        target_size: Option<u64>,
        open_file_cost: Option<u64>,
        lookback: Option<usize>,
        most_groups: Option<u64>,
        least_size: Option<u64>,
    ) -> PyResult<Vec<TaskGroup>> {
        let (scan, plan) = (self.scan.clone(), self.whole(py)?);
        let wanted = SplitRequest { target_size, open_file_cost, lookback, most_groups, least_size };
        runtime::run(py, &Cancel::default(), move |_| {
            let table = scan.table();
            let options = wanted.options(&table.metadata().properties);
            let groups = plan.split(options.context("table", table.metadata_location())?)?;
            let read = Arc::new(ReadRecipe::of(&scan)?);
            let recipes = groups.into_iter().map(|group| GroupRecipe::new(Arc::clone(&read), group));
            Ok(recipes.map(TaskGroup).collect())
        })
    }

    /// The account of planning: the fields of `floeberg.scan.explain.Explain`, those of its parts as tuples.
    fn explain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let plan = self.whole(py)?;
        let to_read = runtime::call(py, || ToRead::of(&plan))?;
        describe_explain(py, &plan, &to_read)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.whole(py)?.to_arrow().0)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let plan = self.whole(py)?;
        let (schema, chunks) = plan.to_arrow();
        stream_capsule(py, schema, Vec::from(chunks).into_iter().map(Ok))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a Plan", "the groups of Plan.split, or the Scan"))
    }
}
