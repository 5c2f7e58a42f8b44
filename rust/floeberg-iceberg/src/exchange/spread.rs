//! Which rows of a group go to which range?
//!
//! In: a group of tasks, and the ends of ranges. Out: pieces: the number of a range, the number of the piece, and rows as bytes.
//!
//! Invariant: each row is in one piece, of the range of its key. The pieces of a range have its rows in the order of the group.

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use arrow_array::{Array as _, BinaryArray, Int32Array, Int64Array, RecordBatch, UInt32Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::take::take_record_batch;
use floeberg_core::{Cancel, Error, Result};

use super::ends::range_of;
use super::held::HeldRows;
use super::sample::unsorted;
use crate::GroupRecipe;
use crate::read::BatchStream;
use crate::write::{RangeKeys, WriteRecipe};

/// The rows of a group, in pieces.
pub struct SpreadRows {
    rows: BatchStream,
    keys: RangeKeys,
    ends: Vec<Vec<u8>>,
    schema: SchemaRef,
    held: HeldRows<usize>,
    /// The number of the next piece.
    next: i64,
    made: VecDeque<RecordBatch>,
    has_ended: bool,
}

impl SpreadRows {
    /// Begins to read. Pieces have numbers from `first` on.
    ///
    /// Errors: `InvalidInput` for rows without an order, and for ends that do not ascend; those of reading.
    pub fn begin(
        group: &GroupRecipe,
        recipe: &WriteRecipe,
        ends: Vec<Vec<u8>>,
        first: i64,
        threads: Option<usize>,
        cancel: &Cancel,
    ) -> Result<Self> {
        if !ends.is_sorted() || i32::try_from(ends.len()).is_err() {
            return Err(Error::invalid_input("expected ends of ranges in ascending order"));
        }
        let keys = recipe.range_keys(recipe.schema())?.ok_or_else(unsorted)?;
        let field = |name, data_type| Field::new(name, data_type, false);
        let schema = Schema::new(vec![
            field("range", DataType::Int32),
            field("number", DataType::Int64),
            field("rows", DataType::Binary),
        ]);
        Ok(Self {
            rows: group.with_columns(recipe.schema().as_ref().clone()).stream(cancel, threads)?,
            keys,
            ends,
            schema: Arc::new(schema),
            held: HeldRows::default(),
            next: first,
            made: VecDeque::new(),
            has_ended: false,
        })
    }

    /// The next piece, if there is one within a time; `Ready(None)` is the end.
    pub fn next_timeout(&mut self, timeout: Duration) -> Poll<Option<Result<RecordBatch>>> {
        match self.step(timeout) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok(piece)) => Poll::Ready(piece.map(Ok)),
            Poll::Ready(Err(error)) => Poll::Ready(Some(Err(error))),
        }
    }

    fn step(&mut self, timeout: Duration) -> Poll<Result<Option<RecordBatch>>> {
        loop {
            if let Some(piece) = self.made.pop_front() {
                return Poll::Ready(Ok(Some(piece)));
            }
            if self.has_ended {
                return Poll::Ready(Ok(None));
            }
            match self.rows.next_timeout(timeout) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(batch)) => self.add(&batch?)?,
                Poll::Ready(None) => {
                    self.has_ended = true;
                    let left = self.held.finish()?;
                    self.give(left)?;
                }
            }
        }
    }

    fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        let keys = self.keys.of(batch)?;
        let mut of_range: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for row in 0..keys.len() {
            let range = range_of(&self.ends, RangeKeys::cut(keys.value(row)));
            of_range.entry(range).or_default().push(row as u32);
        }
        let is_one = of_range.len() == 1;
        for (range, rows) in of_range {
            let rows = if is_one { batch.clone() } else { taken(batch, rows)? };
            let ready = self.held.add(range, rows)?;
            self.give(ready)?;
        }
        Ok(())
    }

    fn give(&mut self, pieces: Vec<(usize, Vec<u8>)>) -> Result<()> {
        pieces.into_iter().try_for_each(|(range, bytes)| self.give_one(range, &bytes))
    }

    fn give_one(&mut self, range: usize, bytes: &[u8]) -> Result<()> {
        let piece = RecordBatch::try_new(
            Arc::clone(&self.schema),
            vec![
                Arc::new(Int32Array::from(vec![i32::try_from(range).unwrap_or(i32::MAX)])),
                Arc::new(Int64Array::from(vec![self.next])),
                Arc::new(BinaryArray::from_iter_values([bytes])),
            ],
        );
        self.next += 1;
        self.made.push_back(piece.map_err(|error| Error::internal("a piece of rows").caused_by(error))?);
        Ok(())
    }
}

fn taken(batch: &RecordBatch, rows: Vec<u32>) -> Result<RecordBatch> {
    take_record_batch(batch, &UInt32Array::from(rows))
        .map_err(|error| Error::internal("rows of a range are taken").caused_by(error))
}
