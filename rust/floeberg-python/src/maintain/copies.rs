//! How do workers write groups of files again for a commit that another process makes?
//!
//! In: groups of tasks and recipes, as a commit gives them. Out: receipts, which the commit takes.
//!
//! Invariant: rows are read and written here, and never cross to Python but as bytes on their way to another worker.

use floeberg_commit::copy_group as copy_group_of_commit;
use floeberg_core::Cancel;
use floeberg_iceberg::exchange::{
    KeySample, SpreadRows, gather_rows as gather, range_ends as ends_of, sample_keys as sample,
};
use floeberg_iceberg::write::{Receipt as IcebergReceipt, WriteTask};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::incoming::{RowSource, Unchecked};
use crate::runtime::{self, Fed};
use crate::scan::engine_schema::EngineSchema;
use crate::scan::stream::BatchReader;
use crate::scan::task_group::TaskGroup;
use crate::write::receipt::Receipt;
use crate::write::writer::WriteRecipe;

/// Copies the rows of a group, by at most this many threads.
#[pyfunction]
#[pyo3(signature = (group, recipe, *, task, partition, threads))]
pub fn copy_group(
    py: Python<'_>,
    group: &TaskGroup,
    recipe: &WriteRecipe,
    task: String,
    partition: u32,
    threads: Option<usize>,
) -> PyResult<Receipt> {
    let (group, recipe) = (group.0.clone(), recipe.0.clone());
    let copy = move |cancel: &Cancel| {
        copy_group_of_commit(&group, &recipe, WriteTask { partition, name: &task }, threads, cancel)
    };
    runtime::run(py, &Cancel::default(), copy).map(Receipt)
}

/// The group in parts of about so many bytes, one after the other.
#[pyfunction]
pub fn group_parts(py: Python<'_>, group: &TaskGroup, share: u64) -> PyResult<Vec<TaskGroup>> {
    let parts = runtime::call(py, || group.0.parts(share))?;
    Ok(parts.into_iter().map(TaskGroup).collect())
}

/// Keys of some rows, by which they are sorted, and the number of rows.
#[pyfunction]
#[pyo3(signature = (group, recipe, *, most, threads))]
pub fn sample_keys<'py>(
    py: Python<'py>,
    group: &TaskGroup,
    recipe: &WriteRecipe,
    most: usize,
    threads: Option<usize>,
) -> PyResult<(Vec<Bound<'py, PyBytes>>, u64)> {
    let (group, recipe) = (group.0.clone(), recipe.0.clone());
    let found =
        runtime::run(py, &Cancel::default(), move |cancel| sample(&group, &recipe, most, threads, cancel))?;
    Ok((found.keys.iter().map(|key| PyBytes::new(py, key)).collect(), found.rows))
}

/// The first keys of ranges of about equal numbers of rows, after the first range.
#[pyfunction]
pub fn range_ends(
    py: Python<'_>,
    samples: Vec<(Vec<Vec<u8>>, u64)>,
    ranges: usize,
) -> PyResult<Vec<Bound<'_, PyBytes>>> {
    let samples = samples.into_iter().map(|(keys, rows)| KeySample { keys, rows }).collect();
    let ends = runtime::call(py, || Ok(ends_of(samples, ranges)))?;
    Ok(ends.iter().map(|end| PyBytes::new(py, end)).collect())
}

/// The rows of a group in pieces of one range each: `range`, `number` from `first` on, and `rows` as bytes.
#[pyfunction]
#[pyo3(signature = (group, recipe, ends, *, first, threads))]
pub fn spread_rows(
    py: Python<'_>,
    group: &TaskGroup,
    recipe: &WriteRecipe,
    ends: Vec<Vec<u8>>,
    first: i64,
    threads: Option<usize>,
) -> PyResult<BatchReader> {
    let (group, recipe) = (group.0.clone(), recipe.0.clone());
    BatchReader::open(py, EngineSchema::OfTable, move |cancel| {
        SpreadRows::begin(&group, &recipe, ends, first, threads, cancel)
    })
}

/// Writes such pieces, which come range by range in a `pyarrow.RecordBatchReader`.
#[pyfunction]
#[pyo3(signature = (reader, recipe, *, task, partition))]
pub fn gather_rows(
    py: Python<'_>,
    reader: &Bound<'_, PyAny>,
    recipe: &WriteRecipe,
    task: String,
    partition: u32,
) -> PyResult<Receipt> {
    let mut source = RowSource::open(reader)?;
    let of_write = recipe.0.clone();
    let write = move |cancel: &Cancel, batches: Fed<Unchecked>| {
        let pieces = batches.map(|batch| batch.and_then(Unchecked::checked));
        gather(pieces, &of_write, WriteTask { partition, name: &task }, cancel)
    };
    let undo = |written: IcebergReceipt| recipe.0.remove(&written);
    runtime::feed(py, &Cancel::default(), |py| source.next(py), write, undo).map(Receipt)
}
