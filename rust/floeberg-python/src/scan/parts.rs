//! What do Spark's driver and tasks ask of a plan whose manifests tasks read?
//!
//! Invariant: all but reading manifests is done where the scan is.

use std::sync::{Arc, Mutex, PoisonError};

use floeberg_core::{Cancel, Context, Error, Result};
use floeberg_iceberg::plan::{
    ManifestTask, PlanAssembly, PlanParts as IcebergParts, PlanRequest, plan_part as part,
    read_manifests as read,
};
use floeberg_iceberg::{GroupRecipe, ReadRecipe, Scan as IcebergScan};
use floeberg_properties::{DATA_PLANNING, DELETE_PLANNING, Words};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::pickle::refuse;
use crate::runtime;
use crate::scan::plan::Plan;
use crate::scan::scan::Scan;
use crate::scan::task_group::TaskGroup;

/// A plan whose manifests are read elsewhere.
#[pyclass(frozen, module = "floeberg._native")]
pub struct PlanParts {
    scan: IcebergScan,
    /// Bytes of the data manifests, and of the delete manifests.
    lengths: [Vec<i64>; 2],
    /// About the bytes of the data files.
    data_bytes: Option<u64>,
    cancel: Cancel,
    state: Mutex<State>,
}

enum State {
    /// The manifest list was read.
    Chosen(Box<IcebergParts>),
    /// The deletes are known.
    Indexed(Box<PlanAssembly>),
    /// It was made, or failed.
    Gone,
}

impl PlanParts {
    fn open(py: Python<'_>, scan: &IcebergScan) -> PyResult<Self> {
        let (scan, cancel) = (scan.clone(), Cancel::default());
        let opened = scan.clone();
        let parts =
            runtime::run(py, &cancel, move |cancel| IcebergParts::open(opened.plan_request(cancel)?))?;
        let [data, deletes] = [parts.data_manifests(), parts.delete_manifests()];
        let lengths =
            [data, deletes].map(|list| list.iter().map(|each| each.manifest_length.max(0)).collect());
        let data_bytes = parts.data_bytes();
        Ok(Self { scan, lengths, data_bytes, cancel, state: Mutex::new(State::Chosen(Box::new(parts))) })
    }

    fn take(&self) -> State {
        std::mem::replace(&mut *self.state.lock().unwrap_or_else(PoisonError::into_inner), State::Gone)
    }

    /// Takes one step with the state, on a thread of its own. After an error there is no state.
    fn step<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(State) -> Result<(State, T)> + Send + 'static,
    ) -> PyResult<T> {
        let state = self.take();
        let (state, answer) = runtime::run(py, &self.cancel, move |_| work(state))?;
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
        Ok(answer)
    }
}

#[pymethods]
impl PlanParts {
    /// The bytes of each data manifest, or of each delete manifest.
    fn lengths(&self, deletes: bool) -> Vec<i64> {
        self.lengths[usize::from(deletes)].clone()
    }

    /// About the bytes of the data files, where the snapshot says it.
    #[getter]
    fn data_bytes(&self) -> Option<u64> {
        self.data_bytes
    }

    /// No task, but what the groups of the plan share.
    fn shared(&self, py: Python<'_>) -> PyResult<TaskGroup> {
        let read = runtime::call(py, || ReadRecipe::of(&self.scan))?;
        Ok(TaskGroup(GroupRecipe::empty(Arc::new(read))))
    }

    /// What a task needs to plan some of the data manifests by itself. Nothing is indexed here.
    fn part_task<'py>(&self, py: Python<'py>, start: usize, end: usize) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.step(py, move |state| match &state {
            State::Chosen(parts) => {
                let bytes = parts.part_task(start..end)?.to_bytes()?;
                Ok((state, bytes))
            }
            _ => Err(out_of_order()),
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// What the table's properties say of who reads data manifests, and delete manifests: `auto`, `local` or `distributed`.
    fn modes(&self, py: Python<'_>) -> PyResult<(&'static str, &'static str)> {
        let table = self.scan.table();
        runtime::call(py, || {
            let of = |words: Words| words.of(&table.metadata().properties);
            Ok((of(DATA_PLANNING)?, of(DELETE_PLANNING)?)).context("table", table.metadata_location())
        })
    }

    /// What a task needs to read some of the manifests. Those of data files are asked for after `index`.
    fn task<'py>(
        &self,
        py: Python<'py>,
        deletes: bool,
        start: usize,
        end: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.step(py, move |state| {
            let task = match &state {
                State::Chosen(parts) if deletes => parts.deletes_task(start..end),
                State::Indexed(assembly) if !deletes => assembly.task(start..end),
                _ => Err(out_of_order()),
            };
            let bytes = task?.to_bytes()?;
            Ok((state, bytes))
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Indexes the deletes that tasks returned; without answers, reads them here.
    #[pyo3(signature = (answers=None))]
    fn index(&self, py: Python<'_>, answers: Option<Vec<Vec<u8>>>) -> PyResult<()> {
        self.step(py, move |state| match state {
            State::Chosen(parts) => Ok((State::Indexed(Box::new(parts.index(answers.as_deref())?)), ())),
            _ => Err(out_of_order()),
        })
    }

    /// Adds the data files that the next task returned.
    fn add(&self, py: Python<'_>, answer: Vec<u8>) -> PyResult<()> {
        self.step(py, move |state| match state {
            State::Indexed(mut assembly) => {
                assembly.add(&answer)?;
                Ok((State::Indexed(assembly), ()))
            }
            _ => Err(out_of_order()),
        })
    }

    /// The plan of all that was added.
    fn finish(&self, py: Python<'_>) -> PyResult<Plan> {
        let plan = self.step(py, |state| match state {
            State::Indexed(assembly) => Ok((State::Gone, assembly.finish()?)),
            _ => Err(out_of_order()),
        })?;
        Ok(Plan::of(&self.scan, plan))
    }

    /// The plan of data manifests that are read here.
    fn here(&self, py: Python<'_>) -> PyResult<Plan> {
        let stream = self.step(py, |state| match state {
            State::Chosen(parts) => Ok((State::Gone, parts.here()?)),
            State::Indexed(assembly) => Ok((State::Gone, assembly.here())),
            State::Gone => Err(out_of_order()),
        })?;
        Ok(Plan::begun(&self.scan, stream, self.cancel.clone()))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a plan of parts", "its tasks"))
    }
}

fn out_of_order() -> Error {
    Error::internal("a plan of parts was asked for a step that it cannot take now")
}

/// Reads the manifest list of a scan, to plan it by tasks.
#[pyfunction]
pub fn plan_parts(py: Python<'_>, scan: &Scan) -> PyResult<PlanParts> {
    PlanParts::open(py, scan.inner())
}

/// Reads the manifests of a task of a scan, with at most this many threads; by default, with as many as the process may use.
#[pyfunction]
#[pyo3(signature = (scan, task, threads=None))]
pub fn read_manifests<'py>(
    py: Python<'py>,
    scan: &Scan,
    task: Vec<u8>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyBytes>> {
    let scan = scan.inner().clone();
    let answer = runtime::run(py, &Cancel::default(), move |cancel| {
        let mut request: PlanRequest = scan.plan_request(cancel)?;
        request.reader.threads = threads.unwrap_or(request.reader.threads).max(1);
        read(&request, &ManifestTask::from_bytes(&task)?)
    })?;
    Ok(PyBytes::new(py, &answer))
}

/// Plans the data manifests of a task of a scan, with all of its delete manifests, by at most this many threads.
#[pyfunction]
#[pyo3(signature = (scan, data, deletes, threads=None))]
pub fn plan_part(
    py: Python<'_>,
    scan: &Scan,
    data: Vec<u8>,
    deletes: Vec<u8>,
    threads: Option<usize>,
) -> PyResult<Plan> {
    let scan = scan.inner().clone();
    let planned = scan.clone();
    let plan = runtime::run(py, &Cancel::default(), move |cancel| {
        let mut request: PlanRequest = scan.plan_request(cancel)?;
        request.reader.threads = threads.unwrap_or(request.reader.threads).max(1);
        part(request, &ManifestTask::from_bytes(&data)?, &ManifestTask::from_bytes(&deletes)?)
    })?;
    Ok(Plan::of(&planned, plan))
}
