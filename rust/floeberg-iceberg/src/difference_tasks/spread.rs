//! Which rows of a task are matched by which worker?
//!
//! In: a task. Out: pieces: `bucket`, `side` (0 for rows that came, 1 for rows that went), and `rows` as bytes.
//!
//! Invariant: rows that can be one row are in one bucket: those of one key, or without a key those of one row id, or of equal values.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use arrow_array::{BinaryArray, Int32Array, RecordBatch, UInt32Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::take::take_record_batch;
use floeberg_core::rows::RowHashes;
use floeberg_core::{Cancel, Error, Result};

use super::reading::{SidedRows, TaskRows};
use super::task::DifferenceTask;
use crate::exchange::HeldRows;

/// The rows of a task, in pieces.
pub struct SpreadChanges {
    rows: TaskRows,
    task: DifferenceTask,
    hashes: RowHashes,
    buckets: u32,
    schema: SchemaRef,
    /// By side and bucket.
    held: HeldRows<(i32, i32)>,
    made: VecDeque<RecordBatch>,
    has_ended: bool,
}

impl SpreadChanges {
    /// Begins to read, by so many threads; `None` is all of a process.
    ///
    /// Errors: `InvalidInput` for no bucket; those of opening the store.
    pub fn begin(
        task: DifferenceTask,
        buckets: u32,
        threads: Option<usize>,
        cancel: &Cancel,
    ) -> Result<Self> {
        if buckets == 0 || i32::try_from(buckets).is_err() {
            return Err(Error::invalid_input(format!(
                "buckets: expected 1 to 2147483647 of them, found {buckets}"
            )));
        }
        let field = |name, data_type| Field::new(name, data_type, false);
        let schema = Schema::new(vec![
            field("bucket", DataType::Int32),
            field("side", DataType::Int32),
            field("rows", DataType::Binary),
        ]);
        Ok(Self {
            rows: TaskRows::begin(&task, threads, cancel)?,
            task,
            hashes: RowHashes::shared(),
            buckets,
            schema: Arc::new(schema),
            held: HeldRows::default(),
            made: VecDeque::new(),
            has_ended: false,
        })
    }

    /// The next piece, if there is one within a time; `Ready(None)` is the end.
    pub fn next_timeout(&mut self, timeout: Duration) -> Poll<Option<Result<RecordBatch>>> {
        let until = Instant::now().checked_add(timeout);
        loop {
            if let Some(piece) = self.made.pop_front() {
                return Poll::Ready(Some(Ok(piece)));
            }
            if self.has_ended {
                return Poll::Ready(None);
            }
            let step = match self.rows.next_until(until) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(rows)) => rows.and_then(|rows| self.add(&rows)),
                Poll::Ready(None) => {
                    self.has_ended = true;
                    self.held.finish().and_then(|left| self.give(left))
                }
            };
            if let Err(error) = step {
                self.has_ended = true;
                return Poll::Ready(Some(Err(error)));
            }
        }
    }

    fn add(&mut self, rows: &SidedRows) -> Result<()> {
        let SidedRows { side, batch } = rows;
        let places = if self.task.keys.is_empty() { &self.task.identity } else { &self.task.keys };
        let columns: Vec<_> = places.iter().map(|place| Arc::clone(batch.column(*place))).collect();
        let mut of_bucket: BTreeMap<i32, Vec<u32>> = BTreeMap::new();
        for (row, hash) in self.hashes.of(&columns, batch.num_rows())?.into_iter().enumerate() {
            // Both are below 2^31.
            let bucket = (hash % u128::from(self.buckets)) as i32;
            of_bucket.entry(bucket).or_default().push(row as u32);
        }
        let is_one = of_bucket.len() == 1;
        for (bucket, rows) in of_bucket {
            let rows = if is_one { batch.clone() } else { taken(batch, rows)? };
            // As sides number snapshots.
            let number = i32::from(side.snapshot() == 1);
            let ready = self.held.add((number, bucket), rows)?;
            self.give(ready)?;
        }
        Ok(())
    }

    fn give(&mut self, pieces: Vec<((i32, i32), Vec<u8>)>) -> Result<()> {
        for ((side, bucket), bytes) in pieces {
            let piece = RecordBatch::try_new(
                Arc::clone(&self.schema),
                vec![
                    Arc::new(Int32Array::from(vec![bucket])),
                    Arc::new(Int32Array::from(vec![side])),
                    Arc::new(BinaryArray::from_iter_values([bytes])),
                ],
            );
            let piece = piece.map_err(|error| Error::internal("a piece of rows").caused_by(error))?;
            self.made.push_back(piece);
        }
        Ok(())
    }
}

fn taken(batch: &RecordBatch, rows: Vec<u32>) -> Result<RecordBatch> {
    take_record_batch(batch, &UInt32Array::from(rows))
        .map_err(|error| Error::internal("rows of a bucket are taken").caused_by(error))
}
