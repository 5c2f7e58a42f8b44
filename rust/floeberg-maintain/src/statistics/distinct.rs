//! How many distinct values have the columns of a snapshot?
//!
//! In: a table, a snapshot, and names of columns. Out: a theta sketch of each column, as a blob.
//! Spec: Puffin, `apache-datasketches-theta-v1`; Table Statistics.
//!
//! ```text
//! files -> parts of files -> batches, each by a thread, into sketches that no other thread has -> united by column
//! ```
//!
//! Invariant: rows that are deleted are not counted. There are as many sketches of a column as threads that compute, of 64 KiB at most.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use arrow_array::RecordBatch;
use floeberg_core::arrow_values::{column_in_structs, positions};
use floeberg_core::{Cancel, Context as _, Error, Result};
use floeberg_exec::budget::{memory_budget, thread_budget};
use floeberg_exec::threads::{Ahead, Job, OrderedStream};
use floeberg_iceberg::metadata::Snapshot;
use floeberg_iceberg::plan::FileScanTask;
use floeberg_iceberg::read::{TableReader, TaskBatches, read_task};
use floeberg_iceberg::statistics::NewBlob;
use floeberg_iceberg::{Scan, SnapshotChoice, Table};

use super::columns::{Column, chosen};
use super::sketch::Sketch;
use super::values::each_value;

/// The type of the blobs.
const THETA: &str = "apache-datasketches-theta-v1";
/// The property of a blob that has the estimate.
const NDV: &str = "ndv";

/// The sketches of the columns of a snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnSketches {
    /// The snapshot.
    pub snapshot: Arc<Snapshot>,
    /// The estimates, by the names of the columns.
    pub distinct: Vec<(String, u64)>,
    /// The sketches, in the order of the columns.
    pub blobs: Vec<NewBlob>,
}

/// Sketches columns of a snapshot; by default, all top-level columns of primitive types of the current one. `None` for a table
/// without a snapshot.
///
/// Errors: `NotFound` for an unknown snapshot; `InvalidInput` for columns that do not exist or cannot be sketched; `Cancelled`; those
/// of planning and reading.
pub fn sketch_columns(
    table: &Table,
    snapshot_id: Option<i64>,
    columns: Option<&[String]>,
    cancel: &Cancel,
) -> Result<Option<ColumnSketches>> {
    let metadata = table.metadata();
    let snapshot = match snapshot_id {
        Some(id) => Arc::clone(metadata.snapshot(id)?),
        None => match metadata.current_snapshot() {
            Some(snapshot) => Arc::clone(snapshot),
            None => return Ok(None),
        },
    };
    let columns = chosen(metadata.schema_for_snapshot(&snapshot)?, columns)?;
    let names = columns.iter().map(|column| column.name.clone()).collect();
    let scan = Scan::new(table.clone()).at(SnapshotChoice::Id(snapshot.snapshot_id)).select(names);
    let projection = scan.projection()?;
    let job = Arc::new(SketchJob {
        reader: Arc::new(TableReader::new(scan.read_request(cancel)?)),
        paths: columns.iter().map(|column| positions(&projection, column.field_id)).collect(),
        idle: Mutex::default(),
    });
    let ahead = Ahead { threads: thread_budget()?, memory: memory_budget()?, cancel: cancel.clone() };
    let mut parts = OrderedStream::new(Arc::clone(&job), scan.plan_stream(cancel)?.into_tasks(), ahead);
    while let Poll::Ready(Some(done)) = parts.next_until(None) {
        done?;
    }
    drop(parts);
    let sketches = job.idle.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut distinct, mut blobs) = (Vec::new(), Vec::new());
    for (number, column) in columns.into_iter().enumerate() {
        let finished = Sketch::united(sketches.iter().filter_map(|each| each.get(number)))?;
        let Column { field_id, name } = column;
        blobs.push(NewBlob {
            blob_type: THETA.to_owned(),
            fields: vec![field_id],
            properties: BTreeMap::from([(NDV.to_owned(), finished.distinct.to_string())]),
            content: finished.bytes,
        });
        distinct.push((name, finished.distinct));
    }
    Ok(Some(ColumnSketches { snapshot, distinct, blobs }))
}

/// Reads files, and adds their values to sketches.
struct SketchJob {
    reader: Arc<TableReader>,
    /// The positions of the columns, from the top.
    paths: Vec<Vec<usize>>,
    /// Sketches of all columns that no thread adds to at the moment.
    idle: Mutex<Vec<Vec<Sketch>>>,
}

impl Job for SketchJob {
    type Task = FileScanTask;
    type Part = (String, TaskBatches);
    type Item = ();

    const THREAD: &'static str = "floeberg-sketch";
    const OPENING_BYTES: u64 = floeberg_io::SMALL_FILE;

    fn open(&self, task: FileScanTask) -> Result<Vec<Self::Part>> {
        let parts = read_task(&self.reader, &task)?.into_parts().into_iter();
        Ok(parts.map(|part| (task.file_path.clone(), part)).collect())
    }

    fn work(&self, (path, batches): Self::Part, _: &mut dyn FnMut(()) -> Result<bool>) -> Result<()> {
        for batch in batches {
            let batch = batch.context("path", &path)?;
            // A thread that waits for its store has no sketches.
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut sketches = match idle {
                Some(sketches) => sketches,
                None => self.paths.iter().map(|_| Sketch::new()).collect::<Result<_>>()?,
            };
            self.add(&batch, &mut sketches)?;
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(sketches);
        }
        Ok(())
    }

    fn part_bytes((_, batches): &Self::Part) -> u64 {
        batches.stored_bytes()
    }

    fn bytes((): &()) -> u64 {
        0
    }
}

impl SketchJob {
    fn add(&self, batch: &RecordBatch, sketches: &mut [Sketch]) -> Result<()> {
        for (path, sketch) in self.paths.iter().zip(sketches) {
            let Some((first, rest)) = path.split_first() else {
                return Err(Error::internal("a column to sketch is in the projection"));
            };
            let values = column_in_structs(batch.column(*first), rest)?;
            each_value(&values, |value| sketch.add(value))?;
        }
        Ok(())
    }
}
