//! How are more rows sorted than fit into memory?
//!
//! In: rows by partition, in any order, with their keys. Out: the same rows, partition by partition, each sorted.
//!
//! ```text
//! rows -> memory -> sorted by (partition, key), by threads -> given, where all fit
//!                                                          `-> a run in a temporary file, and again -> merged, and given
//! ```
//!
//! Invariant: rows with equal keys stay in the order in which they came.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch, UInt32Array};
use arrow_schema::{Field, Schema};
use arrow_select::interleave::interleave;
use floeberg_core::{Error, Result};
use floeberg_exec::threads::ordered;
use floeberg_files::Piece;

use super::key_order::{Place, order};
use super::merge::{BATCH_ROWS, merge};
use super::run::{Run, RunWriter};
use crate::write::encode::Threads;

/// Runs that are merged at the same time: each has a batch in memory and an open file.
const MOST_RUNS: usize = 64;

/// Rows waiting to be sorted.
pub(in crate::write) struct Sorter {
    threads: Threads,
    /// Bytes of rows in memory.
    memory: u64,
    held: BTreeMap<u32, Vec<Keyed>>,
    size: u64,
    runs: Vec<Run>,
}

/// Rows of one partition and their keys.
struct Keyed {
    rows: Piece,
    keys: BinaryArray,
}

impl Sorter {
    pub fn new(threads: Threads, memory: u64) -> Self {
        Self { threads, memory, held: BTreeMap::new(), size: 0, runs: Vec::new() }
    }

    /// Takes rows of a partition, with their keys.
    pub fn add(&mut self, partition: u32, rows: Piece, keys: BinaryArray) -> Result<()> {
        // Sorting needs two places of each row, besides.
        let of_order = 2 * size_of::<Place>() * rows.rows;
        self.size =
            self.size.saturating_add(rows.bytes).saturating_add((keys.values().len() + of_order) as u64);
        self.held.entry(partition).or_default().push(Keyed { rows, keys });
        if self.size < self.memory {
            return Ok(());
        }
        self.spill()?;
        if self.runs.len() >= MOST_RUNS {
            let mut merged = None;
            merge(mem::take(&mut self.runs), &self.threads, &mut |_, batch| put(&mut merged, &batch))?;
            self.runs.extend(merged.map(RunWriter::finish).transpose()?);
        }
        Ok(())
    }

    /// Returns all rows, partition by partition.
    pub fn finish(mut self, give: &mut dyn FnMut(u32, Piece) -> Result<()>) -> Result<()> {
        if self.runs.is_empty() {
            return self.sorted(false, &mut |partition, rows, _| give(partition, rows));
        }
        self.spill()?;
        merge(mem::take(&mut self.runs), &self.threads, &mut |partition, batch| {
            let columns = batch.columns()[..batch.num_columns() - 2].to_vec();
            give(partition, Piece::of_columns(columns, batch.num_rows()))
        })
    }

    /// Writes the rows in memory to a run.
    fn spill(&mut self) -> Result<()> {
        let mut run = None;
        self.sorted(true, &mut |partition, rows, keys| {
            let keys = keys.ok_or_else(|| Error::internal("rows without keys cannot be merged"))?;
            put(&mut run, &batch_of(partition, rows, keys)?)
        })?;
        self.runs.extend(run.map(RunWriter::finish).transpose()?);
        Ok(())
    }

    /// Returns the rows in memory, in order, and clears them. Their keys come with them where they are asked for.
    fn sorted(&mut self, with_keys: bool, give: &mut Give<'_>) -> Result<()> {
        self.size = 0;
        let held: Vec<_> = mem::take(&mut self.held).into_iter().collect();
        let Threads { number, cancel } = &self.threads;
        // Either partitions have a thread each, or parts of the only one.
        let within = if held.len() > 1 { 1 } else { *number };
        let orders = ordered(&held, *number, cancel, |(_, parts)| {
            order(&parts.iter().map(|part| &part.keys).collect::<Vec<_>>(), within, cancel)
        })?;
        for ((partition, parts), order) in held.into_iter().zip(orders) {
            let batches: Vec<_> = order.places.iter().flat_map(|part| part.chunks(BATCH_ROWS)).collect();
            // As few at a time as threads need: they are in memory besides the rows that they are of.
            for some in batches.chunks(2 * number) {
                let gathered = ordered(some, *number, cancel, |places| {
                    let keys = with_keys.then(|| order.keys(places)).flatten().transpose()?;
                    gathered(&parts, places, keys, with_keys)
                })?;
                gathered.into_iter().try_for_each(|(rows, keys)| give(partition, rows, keys))?;
            }
        }
        Ok(())
    }
}

/// Takes rows of a partition, and their keys.
type Give<'a> = dyn FnMut(u32, Piece, Option<ArrayRef>) -> Result<()> + 'a;

/// Rows of several pieces, in this order, and their keys, where they are asked for: those that are given, or those of the pieces.
fn gathered(
    parts: &[Keyed],
    rows: &[Place],
    keys: Option<BinaryArray>,
    with_keys: bool,
) -> Result<(Piece, Option<ArrayRef>)> {
    let rows: Vec<_> = rows.iter().map(|place| (place.part as usize, place.row as usize)).collect();
    let columns = parts.first().map_or(0, |part| part.rows.columns.len());
    let column = |number: usize| {
        joined(&parts.iter().map(|part| part.rows.columns[number].as_ref()).collect::<Vec<_>>(), &rows)
    };
    let columns = (0..columns).map(column).collect::<Result<_>>()?;
    let of_parts = || joined(&parts.iter().map(|part| &part.keys as &dyn Array).collect::<Vec<_>>(), &rows);
    let keys = match keys {
        Some(keys) => Some(Arc::new(keys) as ArrayRef),
        None => with_keys.then(of_parts).transpose()?,
    };
    Ok((Piece::of_columns(columns, rows.len()), keys))
}

fn joined(arrays: &[&dyn Array], rows: &[(usize, usize)]) -> Result<ArrayRef> {
    interleave(arrays, rows).map_err(|error| Error::internal("rows cannot be sorted").caused_by(error))
}

/// Rows of a partition, as stored in a run: with the key and the partition as last columns.
fn batch_of(partition: u32, rows: Piece, keys: ArrayRef) -> Result<RecordBatch> {
    let mut columns = rows.columns;
    columns.push(keys);
    columns.push(Arc::new(UInt32Array::from_value(partition, rows.rows)));
    let field = |(number, column): (usize, &ArrayRef)| {
        Field::new(number.to_string(), column.data_type().clone(), true)
    };
    let schema = Schema::new(columns.iter().enumerate().map(field).collect::<Vec<_>>());
    let batch = RecordBatch::try_new(Arc::new(schema), columns);
    batch.map_err(|error| Error::internal("rows cannot be gathered for sorting").caused_by(error))
}

/// Writes a batch to a run, and starts the run with the first one.
fn put(run: &mut Option<RunWriter>, batch: &RecordBatch) -> Result<()> {
    let run = match run {
        Some(run) => run,
        none => none.insert(RunWriter::new(&batch.schema())?),
    };
    run.write(batch)
}
