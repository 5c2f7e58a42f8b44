//! How do several sorted runs become one?
//!
//! In: runs of batches whose last columns are the key and the partition. Out: batches of one partition each, in order.
//!
//! Invariant: of equal rows those of the earlier run come first.

use std::cmp::Ordering;
use std::mem;

use arrow_array::cast::AsArray as _;
use arrow_array::types::UInt32Type;
use arrow_array::{Array as _, BinaryArray, RecordBatch, UInt32Array};
use arrow_select::interleave::interleave_record_batch;
use floeberg_core::{Error, Result};
use floeberg_exec::threads::ordered;

use super::run::Run;
use crate::write::encode::Threads;

/// The most rows of a merged batch.
pub(super) const BATCH_ROWS: usize = 16 * 1024;

/// How many bytes of a key are compared as a number.
const NUMBER: usize = size_of::<u128>();

type Batches = Box<dyn Iterator<Item = Result<RecordBatch>>>;

/// The position in a run.
struct Cursor {
    batches: Batches,
    /// The number of the run.
    run: usize,
    /// Its batch among those of [`Merge::batches`].
    place: usize,
    row: usize,
    keys: BinaryArray,
    partitions: UInt32Array,
    /// The first bytes of the key of the row, as a number, with zeros behind the end.
    first: u128,
    /// The length of that key.
    length: usize,
}

impl Cursor {
    /// Goes to a row of its batch, which is there.
    fn go_to(&mut self, row: usize) {
        let key = self.keys.value(row);
        let mut first = [0; NUMBER];
        let length = key.len().min(NUMBER);
        first[..length].copy_from_slice(&key[..length]);
        (self.row, self.first, self.length) = (row, u128::from_be_bytes(first), key.len());
    }

    fn partition(&self) -> u32 {
        self.partitions.value(self.row)
    }

    /// Which of the next rows comes first?
    fn compare(&self, other: &Self) -> Ordering {
        // Of short keys with the same number one begins with the other, and ends in zeros.
        let rest = || match self.length.max(other.length) {
            ..=NUMBER => self.length.cmp(&other.length),
            _ => self.keys.value(self.row).cmp(other.keys.value(other.row)),
        };
        let order = self.partition().cmp(&other.partition());
        order
            .then_with(|| self.first.cmp(&other.first))
            .then_with(rest)
            .then_with(|| self.run.cmp(&other.run))
    }
}

struct Merge {
    /// A position in each run.
    cursors: Vec<Cursor>,
    /// The numbers of cursors that have rows, as a heap: the next row of a cursor is before those of the two below it.
    heap: Vec<usize>,
    /// The batches that rows are taken from.
    batches: Vec<RecordBatch>,
    /// (batch, row) of the next rows.
    taken: Vec<(usize, usize)>,
    /// The rows of batches that are gathered together, by threads, each of one partition.
    waiting: Vec<(u32, Vec<(usize, usize)>)>,
}

/// Takes the rows of a partition.
type Give<'a> = dyn FnMut(u32, RecordBatch) -> Result<()> + 'a;

/// Returns all rows of the runs, in order.
pub(super) fn merge(runs: Vec<Run>, threads: &Threads, give: &mut Give<'_>) -> Result<()> {
    let mut merge = Merge {
        cursors: Vec::new(),
        heap: Vec::new(),
        batches: Vec::new(),
        taken: Vec::new(),
        waiting: Vec::new(),
    };
    for (run, read) in runs.into_iter().enumerate() {
        let mut batches: Batches = Box::new(read.read()?);
        if let Some(batch) = batches.next().transpose()? {
            let (keys, partitions) = order_of(&batch)?;
            let place = merge.batches.len();
            let mut cursor = Cursor { batches, run, place, row: 0, keys, partitions, first: 0, length: 0 };
            cursor.go_to(0);
            merge.heap.push(merge.cursors.len());
            merge.cursors.push(cursor);
            merge.batches.push(batch);
        }
    }
    for at in (0..merge.heap.len() / 2).rev() {
        merge.sink(at);
    }
    let mut partition = None;
    while let Some(first) = merge.heap.first() {
        let of = merge.cursors[*first].partition();
        if merge.taken.len() >= BATCH_ROWS || partition.is_some_and(|partition| partition != of) {
            merge.close(partition);
            if merge.waiting.len() >= 2 * threads.number {
                merge.give(threads, give)?;
            }
        }
        partition = Some(of);
        merge.take()?;
    }
    merge.close(partition);
    merge.give(threads, give)
}

/// The last two columns: keys and partitions.
fn order_of(batch: &RecordBatch) -> Result<(BinaryArray, UInt32Array)> {
    let [.., keys, partitions] = batch.columns() else {
        return Err(Error::internal("a run of sorted rows without keys"));
    };
    Ok((keys.as_binary().clone(), partitions.as_primitive::<UInt32Type>().clone()))
}

impl Merge {
    /// Takes the first row. A run without further rows goes.
    fn take(&mut self) -> Result<()> {
        let cursor = &mut self.cursors[self.heap[0]];
        self.taken.push((cursor.place, cursor.row));
        if cursor.row + 1 < cursor.keys.len() {
            cursor.go_to(cursor.row + 1);
        } else {
            match cursor.batches.next().transpose()? {
                Some(batch) => {
                    (cursor.keys, cursor.partitions) = order_of(&batch)?;
                    cursor.place = self.batches.len();
                    cursor.go_to(0);
                    self.batches.push(batch);
                }
                None => drop(self.heap.swap_remove(0)),
            }
        }
        self.sink(0);
        Ok(())
    }

    /// Moves a cursor down the heap until its row is before those below it.
    fn sink(&mut self, mut at: usize) {
        let is_before = |one: usize, other: usize| self.cursors[one].compare(&self.cursors[other]).is_lt();
        loop {
            let mut first = at;
            for below in [2 * at + 1, 2 * at + 2] {
                if below < self.heap.len() && is_before(self.heap[below], self.heap[first]) {
                    first = below;
                }
            }
            if first == at {
                return;
            }
            self.heap.swap(at, first);
            at = first;
        }
    }

    /// Ends a batch.
    fn close(&mut self, partition: Option<u32>) {
        if let (Some(partition), false) = (partition, self.taken.is_empty()) {
            self.waiting.push((partition, mem::take(&mut self.taken)));
        }
    }

    /// Gives the batches that wait.
    fn give(&mut self, threads: &Threads, give: &mut Give<'_>) -> Result<()> {
        let waiting = mem::take(&mut self.waiting);
        let batches = mem::take(&mut self.batches);
        let of: Vec<_> = batches.iter().collect();
        let gathered = ordered(&waiting, threads.number, &threads.cancel, |(partition, rows)| {
            let rows = interleave_record_batch(&of, rows);
            let rows = rows.map_err(|error| Error::internal("rows cannot be merged").caused_by(error))?;
            Ok((*partition, rows))
        })?;
        gathered.into_iter().try_for_each(|(partition, rows)| give(partition, rows))?;
        // Only the current batches of runs are needed from here on.
        for number in &self.heap {
            let cursor = &mut self.cursors[*number];
            let batch = batches[cursor.place].clone();
            cursor.place = self.batches.len();
            self.batches.push(batch);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use arrow_array::ArrayRef;
    use arrow_schema::{DataType, Field, Schema};
    use floeberg_core::Cancel;
    use proptest::prelude::*;

    use super::super::run::RunWriter;
    use super::*;

    /// A row: its partition, its key, and its number.
    type Row = (u32, Vec<u8>, u32);

    fn schema() -> Arc<Schema> {
        let field = |name: &str, data_type| Field::new(name, data_type, false);
        Arc::new(Schema::new(vec![
            field("number", DataType::UInt32),
            field("key", DataType::Binary),
            field("partition", DataType::UInt32),
        ]))
    }

    fn batch(rows: &[Row]) -> RecordBatch {
        let numbers: UInt32Array = rows.iter().map(|row| Some(row.2)).collect();
        let partitions: UInt32Array = rows.iter().map(|row| Some(row.0)).collect();
        let keys = BinaryArray::from_iter_values(rows.iter().map(|row| &row.1));
        let columns: [ArrayRef; 3] = [Arc::new(numbers), Arc::new(keys), Arc::new(partitions)];
        RecordBatch::try_new(schema(), columns.to_vec()).unwrap()
    }

    /// Keys that are the same up to bytes around the sixteenth, and end in zeros.
    fn runs() -> impl Strategy<Value = Vec<Vec<(u32, Vec<u8>)>>> {
        let begin = prop::sample::select(vec![0_usize, 13, 15, 16]);
        let key = (begin, prop::collection::vec(0_u8..2, 0..5));
        let key = key.prop_map(|(zeros, rest)| [vec![0; zeros], rest].concat());
        prop::collection::vec(prop::collection::vec((0_u32..2, key), 1..20), 0..6)
    }

    proptest! {
        #[test]
        fn runs_become_one_in_the_order_of_their_keys(runs in runs(), rows_of_batch in 1_usize..5) {
            let mut all: Vec<Row> = Vec::new();
            let mut written = Vec::new();
            for run in runs {
                let first = all.len() as u32;
                let mut rows: Vec<(u32, Vec<u8>)> = run;
                rows.sort();
                let rows: Vec<Row> =
                    (first..).zip(rows).map(|(number, (partition, key))| (partition, key, number)).collect();
                let mut writer = RunWriter::new(&schema()).unwrap();
                for some in rows.chunks(rows_of_batch) {
                    writer.write(&batch(some)).unwrap();
                }
                written.push(writer.finish().unwrap());
                all.extend(rows);
            }
            let mut found = Vec::new();
            let threads = Threads { number: 2, cancel: Cancel::default() };
            merge(written, &threads, &mut |partition, rows| {
                let numbers = rows.column(0).as_primitive::<UInt32Type>();
                found.extend(numbers.values().iter().map(|number| (partition, *number)));
                Ok(())
            })
            .unwrap();
            all.sort_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
            let expected: Vec<_> = all.iter().map(|(partition, _, number)| (*partition, *number)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
