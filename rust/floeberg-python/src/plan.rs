//! What does `floeberg.Plan` ask of a plan?
//!
//! Invariant: data manifests are read when something of the plan is asked for, and no Python object is made per file
//! until one is.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use floeberg_core::Cancel;
use floeberg_iceberg::plan::{DeleteFile, DeleteKind, Plan as IcebergPlan, PlanStream, SplitOptions};
use floeberg_iceberg::{GroupRecipe, ReadRecipe, Scan as IcebergScan};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

use crate::arrow::{schema_capsule, stream_capsule};
use crate::expression::{Tree, unbind, value_to_python};
use crate::form::BatchForm;
use crate::pickle::refuse;
use crate::runtime;
use crate::stream::BatchReader;
use crate::task_group::TaskGroup;

/// The files of a scan, as columns.
#[pyclass(frozen, module = "floeberg._native")]
pub struct Plan {
    scan: IcebergScan,
    /// A plan whose data manifests nobody asked for yet, and what stops it. Empty once somebody did.
    begun: Mutex<Option<(PlanStream, Cancel)>>,
    whole: OnceLock<Arc<IcebergPlan>>,
}

impl Plan {
    /// Begins to plan a scan.
    pub fn begin(py: Python<'_>, scan: &IcebergScan) -> PyResult<Self> {
        let begun = Mutex::new(Some(begin(py, scan)?));
        Ok(Self { scan: scan.clone(), begun, whole: OnceLock::new() })
    }

    /// The plan that was begun; another one where that was gone through.
    fn stream(&self, py: Python<'_>) -> PyResult<(PlanStream, Cancel)> {
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner).take();
        begun.map_or_else(|| begin(py, &self.scan), Ok)
    }

    /// All of it: what is left of it is planned.
    fn whole(&self, py: Python<'_>) -> PyResult<Arc<IcebergPlan>> {
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

/// The fields of a data file, its partition as (name, literal), the fields of its deletes, its residual.
type TaskParts<'py> = (Bound<'py, PyDict>, Bound<'py, PyList>, Vec<Bound<'py, PyDict>>, Tree);

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
            return Ok(BatchReader::of(chunks.into_iter(), BatchForm::OfTable, Cancel::default()));
        }
        let (stream, cancel) = self.stream(py)?;
        Ok(BatchReader::of(stream.without_keeping(), BatchForm::OfTable, cancel))
    }

    /// A file by its number.
    fn task<'py>(&self, py: Python<'py>, number: usize) -> PyResult<TaskParts<'py>> {
        let plan = self.whole(py)?;
        let task = runtime::call(py, || plan.task(number))?;
        let file = PyDict::new(py);
        file.set_item("file_path", &task.file_path)?;
        file.set_item("location", &task.location)?;
        file.set_item("file_format", task.file_format.to_string())?;
        file.set_item("spec_id", task.spec_id)?;
        file.set_item("record_count", task.record_count)?;
        file.set_item("file_size_in_bytes", task.file_size_in_bytes)?;
        file.set_item("data_sequence_number", task.data_sequence_number)?;
        file.set_item("first_row_id", task.first_row_id)?;
        let spec = runtime::call(py, || self.scan.table().metadata().spec(task.spec_id))?;
        let partition = PyList::empty(py);
        for (field, (_, value)) in spec.fields.iter().zip(task.partition.iter()) {
            let value = value.as_ref().map(|value| value_to_python(py, value)).transpose()?;
            partition.append((&field.name, value))?;
        }
        let deletes = task.deletes.iter().map(|delete| describe_delete(py, delete));
        Ok((file, partition, deletes.collect::<PyResult<_>>()?, Tree(unbind(&task.residual))))
    }

    fn delete_files<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.whole(py)?.delete_files().iter().map(|delete| describe_delete(py, delete)).collect()
    }

    fn residuals(&self, py: Python<'_>) -> PyResult<Vec<Tree>> {
        Ok(self.whole(py)?.residuals().iter().map(|residual| Tree(unbind(residual))).collect())
    }

    /// Groups of about the target's size; or, where it is told how many are enough, as many even ones.
    #[pyo3(signature = (target_size, most_groups=None, least_size=None))]
    fn split(
        &self,
        py: Python<'_>,
        target_size: u64,
        most_groups: Option<u64>,
        least_size: Option<u64>,
    ) -> PyResult<Vec<TaskGroup>> {
        let (scan, plan) = (self.scan.clone(), self.whole(py)?);
        runtime::run(py, &Cancel::default(), move |_| {
            let usual = SplitOptions::default();
            let least_size = least_size.unwrap_or(usual.least_size);
            let groups = plan.split(SplitOptions { target_size, most_groups, least_size, ..usual })?;
            let read = Arc::new(ReadRecipe::of(&scan)?);
            let recipes = groups.into_iter().map(|group| GroupRecipe::new(Arc::clone(&read), group.tasks));
            Ok(recipes.map(TaskGroup).collect())
        })
    }

    /// The account of planning: the fields of `floeberg.explain.Explain`, stages as nested tuples.
    fn explain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let plan = self.whole(py)?;
        let explain = plan.explain();
        let stages = explain.stages.iter().map(|stage| {
            let dropped: Vec<_> =
                stage.dropped.iter().map(|each| (each.by.as_str(), each.reason, each.count)).collect();
            (stage.name, stage.entered, dropped, stage.kept)
        });
        let account = PyDict::new(py);
        account.set_item("snapshot_id", explain.snapshot_id)?;
        account.set_item("filter", &explain.filter)?;
        account.set_item("stages", stages.collect::<Vec<_>>())?;
        account.set_item("position_deletes", explain.deletes.position)?;
        account.set_item("equality_deletes", explain.deletes.equality)?;
        account.set_item("deletion_vectors", explain.deletes.vectors)?;
        account.set_item("data_files", explain.data_files)?;
        account.set_item("records", explain.records)?;
        account.set_item("size_in_bytes", explain.bytes)?;
        Ok(account)
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

fn describe_delete<'py>(py: Python<'py>, delete: &DeleteFile) -> PyResult<Bound<'py, PyDict>> {
    let nothing = || py.None().into_bound(py);
    let (content, ids, offset, size) = match &delete.kind {
        DeleteKind::Position => ("position", Vec::new(), nothing(), nothing()),
        DeleteKind::Equality { equality_ids } => ("equality", equality_ids.clone(), nothing(), nothing()),
        DeleteKind::Vector { content_offset, content_size_in_bytes } => (
            "vector",
            Vec::new(),
            content_offset.into_bound_py_any(py)?,
            content_size_in_bytes.into_bound_py_any(py)?,
        ),
    };
    let fields = PyDict::new(py);
    fields.set_item("file_path", &delete.file_path)?;
    fields.set_item("location", &delete.location)?;
    fields.set_item("file_format", delete.file_format.to_string())?;
    fields.set_item("content", content)?;
    fields.set_item("equality_ids", pyo3::types::PyTuple::new(py, ids)?)?;
    fields.set_item("record_count", delete.record_count)?;
    fields.set_item("file_size_in_bytes", delete.file_size_in_bytes)?;
    fields.set_item("data_sequence_number", delete.data_sequence_number)?;
    fields.set_item("referenced_data_file", &delete.referenced_data_file)?;
    fields.set_item("content_offset", offset)?;
    fields.set_item("content_size_in_bytes", size)?;
    Ok(fields)
}
