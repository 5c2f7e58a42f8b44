//! How do workers find the rows that differ between two snapshots?
//!
//! In: tasks of a `TableDiff`, or pieces of rows. Out: rows of the difference, or how many there are.

use floeberg_core::Cancel;
use floeberg_iceberg::difference_tasks::{DifferenceTask, MatchedChanges, SpreadChanges, TaskChanges};
use pyo3::prelude::*;

use super::diff::{Counts, counted};
use crate::incoming::{RowSource, Unchecked};
use crate::runtime::{self, Fed};
use crate::scan::engine_schema::EngineSchema;
use crate::scan::stream::BatchReader;

fn opened(py: Python<'_>, task: &[u8]) -> PyResult<DifferenceTask> {
    runtime::call(py, || DifferenceTask::from_bytes(task))
}

/// The rows of a task that is not matched with others, in an engine's form.
#[pyfunction]
#[pyo3(signature = (task, *, engine, threads))]
pub fn changes_of_task(
    py: Python<'_>,
    task: &[u8],
    engine: Option<&str>,
    threads: Option<usize>,
) -> PyResult<BatchReader> {
    let task = opened(py, task)?;
    let engine = runtime::call(py, || EngineSchema::of_difference(engine, &task))?;
    BatchReader::open(py, engine, move |cancel| TaskChanges::begin(task, threads, cancel))
}

/// How many rows of a task differ that is not matched with others.
#[pyfunction]
#[pyo3(signature = (task, *, threads))]
pub fn counts_of_task(py: Python<'_>, task: &[u8], threads: Option<usize>) -> PyResult<Counts> {
    let task = opened(py, task)?;
    let count = move |cancel: &Cancel| TaskChanges::begin(task, threads, cancel)?.counts();
    runtime::run(py, &Cancel::default(), count).map(counted)
}

/// The rows of a task in pieces: `bucket`, `side`, and `rows` as bytes.
#[pyfunction]
#[pyo3(signature = (task, *, buckets, threads))]
pub fn spread_changes(
    py: Python<'_>,
    task: &[u8],
    buckets: u32,
    threads: Option<usize>,
) -> PyResult<BatchReader> {
    let task = opened(py, task)?;
    BatchReader::open(py, EngineSchema::OfTable, move |cancel| {
        SpreadChanges::begin(task, buckets, threads, cancel)
    })
}

/// The rows of the difference that pieces have, which come in a `pyarrow.RecordBatchReader`, those of rows that came first.
#[pyfunction]
#[pyo3(signature = (reader, columns, *, engine))]
pub fn matched_changes(
    py: Python<'_>,
    reader: &Bound<'_, PyAny>,
    columns: &[u8],
    engine: Option<&str>,
) -> PyResult<BatchReader> {
    let cancel = Cancel::default();
    let columns = opened(py, columns)?;
    let engine = runtime::call(py, || EngineSchema::of_difference(engine, &columns))?;
    Ok(BatchReader::of(matched(py, reader, columns, &cancel)?, engine, cancel))
}

/// How many rows of such pieces differ.
#[pyfunction]
pub fn counts_of_matched(py: Python<'_>, reader: &Bound<'_, PyAny>, columns: &[u8]) -> PyResult<Counts> {
    let cancel = Cancel::default();
    let columns = opened(py, columns)?;
    let matched = matched(py, reader, columns, &cancel)?;
    runtime::run(py, &cancel, move |_| matched.counts()).map(counted)
}

fn matched(
    py: Python<'_>,
    reader: &Bound<'_, PyAny>,
    columns: DifferenceTask,
    cancel: &Cancel,
) -> PyResult<MatchedChanges> {
    let mut source = RowSource::open(reader)?;
    let work = move |cancel: &Cancel, batches: Fed<Unchecked>| {
        let pieces = batches.map(|batch| batch.and_then(Unchecked::checked));
        MatchedChanges::of(pieces, &columns, cancel)
    };
    runtime::feed(py, cancel, |py| source.next(py), work, |_| Ok(()))
}
