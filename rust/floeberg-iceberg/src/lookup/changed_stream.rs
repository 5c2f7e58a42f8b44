//! What do rows become that a change looks at?
//!
//! In: rows that were found by their keys, or a scan; and a change. Out: batches of new rows with all columns of the table, and the
//! positions of rows that are deleted or replaced.
//! Spec: Column Projection; Row Lineage.
//!
//! ```text
//! columns of the table | (v3: _row_id)
//! ```
//!
//! Invariant: the change sees a row once for each row of the source with its key, all of them in one batch. Pages without such rows are
//! skipped, and columns that the change does not read are not read. Several threads read and change rows; batches keep their order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, NullArray, RecordBatch, UInt32Array};
use arrow_schema::SchemaRef;
use arrow_select::take::{take, take_record_batch};
use floeberg_core::expr::BoundExpr;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::schema::reserved::{POS, ROW_ID, metadata_column};
use floeberg_core::schema::{Field, Schema};
use floeberg_core::{Cancel, Context as _, Error, Result};
use floeberg_exec::budget::{memory_budget, thread_budget};
use floeberg_exec::threads::{Ahead, Job, OrderedStream};
use floeberg_rows::{FoundRows as RowsOfBatch, RowChange};
use roaring::RoaringTreemap;

use super::found_rows::{FoundFile, FoundRows, of_free_name};
use super::source_keys::SourceKeys;
use crate::Scan;
use crate::plan::FileScanTask;
use crate::read::{ReadRequest, TableReader, TaskBatches, read_rows, read_task};

/// Batches of new rows.
pub struct ChangedStream {
    batches: OrderedStream<ChangeJob>,
    job: Arc<ChangeJob>,
}

impl ChangedStream {
    /// Changes the rows of a scan. Errors: those of planning.
    pub fn of_scan(scan: &Scan, change: Arc<dyn RowChange>, cancel: &Cancel) -> Result<Self> {
        let none = RoaringTreemap::new();
        let tasks = scan.plan_stream(cancel)?.into_tasks().map(move |task| {
            let (positions, others) = (none.clone(), none.clone());
            Ok(FoundFile { task: task?, positions, source_rows: Vec::new(), others })
        });
        Self::open(scan, tasks, None, (true, change), cancel)
    }

    /// Changes the rows that were found; where all files are listed, all of their rows. Errors: those of the scan.
    pub fn of_rows(
        scan: &Scan,
        found: &FoundRows,
        change: Arc<dyn RowChange>,
        cancel: &Cancel,
    ) -> Result<Self> {
        let tasks = found.files.clone().into_iter().map(Ok);
        let keys = Some(Arc::clone(&found.keys));
        Self::open(scan, tasks, keys, (found.lists_all, change), cancel)
    }

    fn open(
        scan: &Scan,
        tasks: impl Iterator<Item = Result<FoundFile>> + Send + 'static,
        keys: Option<Arc<SourceKeys>>,
        (reads_all, change): (bool, Arc<dyn RowChange>),
        cancel: &Cancel,
    ) -> Result<Self> {
        let table = scan.schema()?;
        let has_lineage = scan.table().metadata().format_version >= 3;
        let read = change.columns_to_read();
        let fields = table.fields();
        let some: Vec<Field> = read.iter().map(|column| fields[*column].clone()).collect();
        let projected = with_positions(&table, some, has_lineage)?;
        let request = ReadRequest { projected: Arc::new(projected), ..scan.read_request(cancel)? };
        let mut made: Vec<Field> =
            fields.iter().map(|field| Field { required: false, ..field.clone() }).collect();
        if has_lineage {
            made.push(of_free_name(lineage_column()?, &table));
        }
        let job = Arc::new(ChangeJob {
            reader: Arc::new(TableReader::new(request)),
            keys,
            reads_all,
            has_lineage,
            width: fields.len(),
            read: read.to_vec(),
            change,
            schema: Arc::new(schema_to_arrow(&Schema::new(table.schema_id(), made)?)?),
            deleted: Mutex::default(),
            updated: AtomicU64::new(0),
        });
        let ahead = Ahead { threads: thread_budget()?, memory: memory_budget()? / 2, cancel: cancel.clone() };
        Ok(Self { batches: OrderedStream::new(Arc::clone(&job), tasks, ahead), job })
    }

    /// The positions of rows that are deleted or replaced, by the paths of their data files. They are complete after the last batch.
    pub fn positions(&self) -> BTreeMap<String, RoaringTreemap> {
        self.job.deleted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The number of rows that were replaced. It is complete after the last batch.
    pub fn updated_rows(&self) -> u64 {
        self.job.updated.load(Ordering::Relaxed)
    }
}

impl Iterator for ChangedStream {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        match self.batches.next_until(None) {
            Poll::Ready(next) => next,
            Poll::Pending => Some(Err(Error::internal("a stream without a deadline waits"))),
        }
    }
}

fn lineage_column() -> Result<Field> {
    metadata_column(ROW_ID).ok_or_else(|| Error::internal("_row_id is a metadata column"))
}

/// Some columns of a table, the positions of its rows, and their row ids.
fn with_positions(table: &Schema, some: Vec<Field>, has_lineage: bool) -> Result<Schema> {
    let mut fields = some;
    let position = metadata_column(POS).ok_or_else(|| Error::internal("_pos is a metadata column"))?;
    fields.push(of_free_name(position, table));
    if has_lineage {
        fields.push(of_free_name(lineage_column()?, table));
    }
    Schema::new(table.schema_id(), fields)
}

/// Reads and changes the rows of files.
struct ChangeJob {
    reader: Arc<TableReader>,
    keys: Option<Arc<SourceKeys>>,
    reads_all: bool,
    has_lineage: bool,
    /// The number of columns of the table.
    width: usize,
    /// The columns of the table that are read. After them come the position, and the row id.
    read: Vec<usize>,
    change: Arc<dyn RowChange>,
    schema: SchemaRef,
    deleted: Mutex<BTreeMap<String, RoaringTreemap>>,
    updated: AtomicU64,
}

impl Job for ChangeJob {
    type Task = FoundFile;
    type Part = (Arc<FoundFile>, TaskBatches);
    type Item = RecordBatch;

    const THREAD: &'static str = "floeberg-change";

    fn open(&self, file: FoundFile) -> Result<Vec<Self::Part>> {
        let batches = if self.reads_all {
            read_task(&self.reader, &file.task)?
        } else {
            // The positions say all that the filter says.
            let whole = FileScanTask { residual: Arc::new(BoundExpr::True), ..file.task.clone() };
            read_rows(&self.reader, &whole, &file.positions)?
        };
        let file = Arc::new(file);
        Ok(batches.into_parts().into_iter().map(|part| (Arc::clone(&file), part)).collect())
    }

    fn work(
        &self,
        (file, batches): Self::Part,
        give: &mut dyn FnMut(RecordBatch) -> Result<bool>,
    ) -> Result<()> {
        let mut deleted = RoaringTreemap::new();
        let mut found = None;
        for batch in batches {
            let batch = batch.context("path", &file.task.file_path)?;
            let Some(keys) = &self.keys else {
                if !self.changed(&batch, None, &mut deleted, give)? {
                    return Ok(());
                }
                continue;
            };
            let positions = batch.column(self.read.len()).as_primitive::<Int64Type>();
            let first = positions.values().first().map_or(0, |position| *position as u64);
            let found = found.get_or_insert_with(|| file.from(first).peekable());
            let (mut rows, mut of_source) = (Vec::new(), Vec::new());
            for (row, position) in positions.values().iter().enumerate() {
                let position = *position as u64;
                while found.next_if(|(earlier, _)| *earlier < position).is_some() {}
                let mut source = found.next_if(|(at, _)| *at == position).map(|(_, source)| source);
                if source.is_none() && self.reads_all {
                    rows.push(row as u32);
                    of_source.push(None);
                }
                while let Some(at) = source {
                    rows.push(row as u32);
                    of_source.push(Some(at));
                    source = keys.next(at);
                }
            }
            if !rows.is_empty() && !self.matched(&batch, rows, of_source, &mut deleted, give)? {
                return Ok(());
            }
        }
        if !deleted.is_empty() {
            let mut all = self.deleted.lock().unwrap_or_else(PoisonError::into_inner);
            *all.entry(file.task.file_path.clone()).or_default() |= deleted;
        }
        Ok(())
    }

    fn bytes(batch: &RecordBatch) -> u64 {
        batch.get_array_memory_size() as u64
    }
}

impl ChangeJob {
    /// Changes rows of a batch, each with its row of the source.
    fn matched(
        &self,
        batch: &RecordBatch,
        rows: Vec<u32>,
        of_source: Vec<Option<u32>>,
        deleted: &mut RoaringTreemap,
        give: &mut dyn FnMut(RecordBatch) -> Result<bool>,
    ) -> Result<bool> {
        let is_whole = rows.len() == batch.num_rows() && rows.iter().zip(0_u32..).all(|(row, at)| *row == at);
        let of_source = UInt32Array::from(of_source);
        if is_whole {
            return self.changed(batch, Some(&of_source), deleted, give);
        }
        let taken = take_record_batch(batch, &UInt32Array::from(rows))
            .map_err(|error| Error::internal("rows that match are taken").caused_by(error))?;
        self.changed(&taken, Some(&of_source), deleted, give)
    }

    /// Changes rows that were read, and gives the new ones.
    fn changed(
        &self,
        read: &RecordBatch,
        of_source: Option<&UInt32Array>,
        deleted: &mut RoaringTreemap,
        give: &mut dyn FnMut(RecordBatch) -> Result<bool>,
    ) -> Result<bool> {
        let nothing: ArrayRef = Arc::new(NullArray::new(read.num_rows()));
        let mut columns = vec![nothing; self.width];
        for (number, column) in self.read.iter().enumerate() {
            columns[*column] = Arc::clone(read.column(number));
        }
        let positions = read.column(self.read.len()).as_primitive::<Int64Type>().values();
        let positions: Vec<u64> = positions.iter().map(|position| *position as u64).collect();
        let found = RowsOfBatch { columns: &columns, positions: &positions, source_rows: of_source };
        let change = self.change.apply(&found)?;
        deleted.extend(change.deleted.iter().map(|row| positions[*row as usize]));
        for updated in change.updated {
            deleted.extend(updated.rows.iter().map(|row| positions[*row as usize]));
            self.updated.fetch_add(updated.rows.len() as u64, Ordering::Relaxed);
            let mut columns = updated.columns;
            if self.has_lineage {
                let row_ids = take(read.column(self.read.len() + 1), &UInt32Array::from(updated.rows), None);
                columns.push(row_ids.map_err(|error| Error::internal("row ids are taken").caused_by(error))?);
            }
            let made = RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(|error| {
                Error::internal("new rows have the columns of the table").caused_by(error)
            })?;
            if !give(made)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
