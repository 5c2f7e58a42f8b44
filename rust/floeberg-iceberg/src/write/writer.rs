//! How do rows become data files?
//!
//! In: batches of rows in the table's form. Out: a receipt of the files that hold them.
//! Spec: Writer requirements; Partitioning; Sorting.
//!
//! ```text
//! batches -> a round of them -> split by partition -> (sorted ->) encoded by column -> files
//!            about 16 MiB       each batch a thread               each column a thread
//! ```
//!
//! Invariant: a writer that does not finish leaves no file.

use std::sync::Arc;
use std::{iter, mem};

use arrow_array::{BinaryArray, RecordBatch};
use floeberg_core::{Cancel, Error, Result};
use floeberg_files::Coalescer;
use floeberg_io::Store;

use super::encode::Threads;
use super::fanout::Fanout;
use super::layout::WriteLayout;
use super::partitioner::Part;
use super::progress::WriteProgress;
use super::recipe::check_name;
use super::sort::Sorter;
use super::{Receipt, WriteRecipe};
use floeberg_exec::budget::{memory_budget, thread_budget};
use floeberg_exec::threads::ordered;

/// Rows that are split at a time: few enough for their indices to stay in the processor's cache.
const BATCH_ROWS: usize = 64 * 1024;
/// Bytes of batches that are gathered before threads work on them.
const ROUND: u64 = 16 << 20;

/// The part of a write that one writer does.
#[derive(Debug, Clone, Copy)]
pub struct WriteTask<'a> {
    /// The number of the part, used in file names: that of a Spark partition.
    pub partition: u32,
    /// The id of this attempt at the part, used in file names.
    pub name: &'a str,
}

/// Writes rows to files of a table.
///
/// The files are in no table until a commit adds them. An unfinished writer removes its files when it is dropped.
pub struct Writer {
    layout: WriteLayout,
    files: Fanout,
    threads: Threads,
    /// Rows to sort, or rows of more partitions than files can be open.
    sorter: Option<Sorter>,
    memory: u64,
    /// Batches that were not split yet.
    round: Vec<RecordBatch>,
    round_size: u64,
    round_limit: u64,
    /// Were rows encoded?
    has_begun: bool,
    is_broken: bool,
}

impl Writer {
    /// A writer without a file yet.
    ///
    /// Errors: those of [`WriteRecipe::new`]; `InvalidInput` for a task name that cannot be part of a file name.
    pub fn new(
        recipe: &WriteRecipe,
        store: Arc<dyn Store>,
        task: WriteTask<'_>,
        cancel: &Cancel,
    ) -> Result<Self> {
        Self::with_memory(recipe, store, task, cancel, memory_budget()?)
    }

    /// The same, with about this many bytes of memory for rows and row groups.
    pub(super) fn with_memory(
        recipe: &WriteRecipe,
        store: Arc<dyn Store>,
        task: WriteTask<'_>,
        cancel: &Cancel,
        memory: u64,
    ) -> Result<Self> {
        check_name("task name", task.name)?;
        let layout = recipe.layout()?;
        let threads = Threads { number: thread_budget()?, cancel: cancel.clone() };
        let name = format!("{:05}-{}-{}", task.partition, task.name, recipe.write_id);
        let files = Fanout::new(store, recipe, layout.clone(), threads.clone(), memory, name);
        let round_limit = ROUND.min(memory / 4);
        Ok(Self {
            layout,
            files,
            threads,
            sorter: None,
            memory,
            round: Vec::new(),
            round_size: 0,
            round_limit,
            has_begun: false,
            is_broken: false,
        })
    }

    /// Tells how far the write is, from now on.
    #[must_use]
    pub fn report_to(mut self, progress: &Arc<WriteProgress>) -> Self {
        self.files.report_to(progress);
        self
    }

    /// Writes rows, in the form of [`schema_to_arrow`](floeberg_core::schema::arrow::schema_to_arrow) of the table's schema.
    ///
    /// Errors: `InvalidInput` for rows of another schema and for a null in a required column; those of the store. After an error the
    /// writer cannot be used.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.unless_broken(|writer| writer.take(batch))
    }

    /// Ends the files: they are durable then.
    ///
    /// Errors: those of the store. The files are removed then.
    pub fn finish(mut self) -> Result<Receipt> {
        let files = self.unless_broken(|writer| {
            writer.encode_round(true)?;
            writer.encode_sorted()?;
            writer.files.finish_all()
        })?;
        Receipt::new(files)
    }

    fn unless_broken<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.is_broken {
            return Err(Error::invalid_input("the writer cannot continue after an error"));
        }
        let done = work(self);
        self.is_broken = done.is_err();
        done
    }

    fn take(&mut self, batch: &RecordBatch) -> Result<()> {
        self.threads.cancel.check()?;
        if !same_form(batch, &self.layout) {
            return Err(Error::invalid_input(format!(
                "expected rows with the columns {:?}, found {:?}",
                self.layout.rows.fields(),
                batch.schema_ref().fields()
            )));
        }
        let rows = batch.num_rows();
        for start in (0..rows).step_by(BATCH_ROWS) {
            let part = batch.slice(start, BATCH_ROWS.min(rows - start));
            let size = part.columns().iter().map(|column| {
                let data = column.to_data();
                data.get_slice_memory_size().unwrap_or_else(|_| data.get_array_memory_size()) as u64
            });
            self.round_size += size.sum::<u64>();
            self.round.push(part);
            if self.round_size >= self.round_limit {
                self.encode_round(false)?;
            }
        }
        Ok(())
    }

    fn encode_round(&mut self, is_last: bool) -> Result<()> {
        self.round_size = 0;
        let round = mem::take(&mut self.round);
        if !round.is_empty() && !mem::replace(&mut self.has_begun, true) {
            self.layout.file = Arc::clone(&self.layout.file).for_rows(&round, is_last)?;
            self.files.store_as(&self.layout.file);
        }
        let round = if self.layout.partitioner.is_partitioned() { joined(round)? } else { round };
        let Threads { number, cancel } = &self.threads;
        let split = |batch: &RecordBatch| {
            self.layout.partitioner.split(batch, self.layout.file.as_ref(), self.layout.keys.as_deref())
        };
        let parts = ordered(&round, *number, cancel, split)?;
        drop(round);
        for Part { partition, rows, keys } in parts.into_iter().flatten() {
            let number = self.files.number(partition);
            let (rows, keys) = match keys {
                Some(keys) => (rows, keys),
                None => match self.files.add(number, rows)? {
                    None => continue,
                    // They are gathered by partition, in their order of arrival.
                    Some(rows) => {
                        let keys = BinaryArray::from_iter_values(iter::repeat_n(b"", rows.rows));
                        (rows, keys)
                    }
                },
            };
            let sorter = || Sorter::new(self.threads.clone(), self.memory / 2);
            self.sorter.get_or_insert_with(sorter).add(number, rows, keys)?;
        }
        self.files.encode()
    }

    /// Writes the sorted rows, partition by partition.
    fn encode_sorted(&mut self) -> Result<()> {
        let Some(sorter) = self.sorter.take() else { return Ok(()) };
        let (files, limit) = (&mut self.files, self.round_limit);
        files.cluster();
        let mut waiting = 0;
        sorter.finish(&mut |number, rows| {
            waiting += rows.bytes;
            if files.add(number, rows)?.is_some() {
                return Err(Error::internal("sorted rows arrived in another order"));
            }
            if waiting >= limit {
                waiting = 0;
                files.encode()?;
            }
            Ok(())
        })
    }
}

/// The same rows in larger batches: each partition's piece of one costs as much to hand over as a large one.
fn joined(batches: Vec<RecordBatch>) -> Result<Vec<RecordBatch>> {
    let mut joined = Coalescer::new(BATCH_ROWS);
    batches.into_iter().try_for_each(|batch| joined.push(batch))?;
    joined.flush()?;
    Ok(iter::from_fn(|| joined.pop()).collect())
}

/// Does a batch have the columns of the table's rows? Metadata and names may differ, but not types.
fn same_form(batch: &RecordBatch, layout: &WriteLayout) -> bool {
    let (found, expected) = (batch.schema_ref().fields(), layout.rows.fields());
    found.len() == expected.len()
        && found
            .iter()
            .zip(expected)
            .all(|(found, expected)| found.data_type().equals_datatype(expected.data_type()))
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.files.remove_all();
    }
}
