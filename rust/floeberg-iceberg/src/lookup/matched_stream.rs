//! What are the columns of rows that change?
//!
//! In: rows that were found by their keys, or a scan; and which columns are wanted. Out: batches of all columns of the table, then
//! where each row is, its row id in v3, and the row of the source that has its key. A column that is not wanted is null.
//! Spec: Column Projection; Row Lineage.
//!
//! ```text
//! columns of the table | _file | _pos | (v3: _row_id) | (with keys: number of the row of the source, or null)
//! ```
//!
//! Invariant: a row comes once for each row of the source with its key. Pages without such rows are skipped, and columns that are
//! not wanted are not read.

use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, RecordBatch, UInt32Array, new_null_array};
use arrow_schema::{DataType, Field as ArrowField, Schema as ArrowSchema, SchemaRef};
use arrow_select::take::take_record_batch;
use floeberg_core::expr::BoundExpr;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::schema::reserved::{FILE, POS, ROW_ID, metadata_column};
use floeberg_core::schema::{Field, Schema};
use floeberg_core::{Cancel, Context as _, Error, Result};
use floeberg_exec::budget::{memory_budget, thread_budget};
use floeberg_exec::threads::{Ahead, Job, OrderedStream};
use roaring::RoaringTreemap;

use super::found_rows::{FoundFile, FoundRows, of_free_name};
use super::source_keys::SourceKeys;
use crate::Scan;
use crate::plan::FileScanTask;
use crate::read::{ReadRequest, TableReader, read_rows, read_task};

/// The column with the number of the row of the source.
pub const SOURCE_ROW: &str = "_source_row";

/// Batches of rows that may change.
pub struct MatchedStream {
    batches: OrderedStream<MatchJob>,
    schema: SchemaRef,
}

impl MatchedStream {
    /// The rows of a scan. Errors: those of planning; `InvalidInput` for a column that the table does not have.
    pub fn of_scan(scan: &Scan, wanted: Option<&[String]>, cancel: &Cancel) -> Result<Self> {
        let none = RoaringTreemap::new();
        let tasks = scan.plan_stream(cancel)?.into_tasks().map(move |task| {
            let (positions, others) = (none.clone(), none.clone());
            Ok(FoundFile { task: task?, positions, source_rows: Vec::new(), others })
        });
        Self::open(scan, tasks, None, Reads { all_rows: true, wanted }, cancel)
    }

    /// The rows that were found; where all files are listed, all of their rows. Errors: those of the scan; `InvalidInput` for a column
    /// that the table does not have.
    pub fn of_rows(
        scan: &Scan,
        found: &FoundRows,
        wanted: Option<&[String]>,
        cancel: &Cancel,
    ) -> Result<Self> {
        let tasks = found.files.clone().into_iter().map(Ok);
        let reads = Reads { all_rows: found.lists_all, wanted };
        Self::open(scan, tasks, Some(Arc::clone(&found.keys)), reads, cancel)
    }

    fn open(
        scan: &Scan,
        tasks: impl Iterator<Item = Result<FoundFile>> + Send + 'static,
        keys: Option<Arc<SourceKeys>>,
        reads: Reads<'_>,
        cancel: &Cancel,
    ) -> Result<Self> {
        let table = scan.schema()?;
        let has_lineage = scan.table().metadata().format_version >= 3;
        let (some, origins) = reads.columns(&table)?;
        let projected = with_places(&table, some, has_lineage)?;
        let request = ReadRequest { projected: Arc::new(projected), ..scan.read_request(cancel)? };
        let read = request.output_schema()?;
        let every = schema_to_arrow(&table)?;
        let mut fields: Vec<Arc<ArrowField>> = every
            .fields()
            .iter()
            .zip(&origins)
            .map(|(field, origin)| match origin {
                Some(number) => Arc::clone(&read.fields()[*number]),
                None => Arc::new(field.as_ref().clone().with_nullable(true)),
            })
            .collect();
        let places = origins.iter().flatten().count();
        fields.extend(read.fields()[places..].iter().cloned());
        if keys.is_some() {
            fields.push(Arc::new(ArrowField::new(SOURCE_ROW, DataType::UInt32, true)));
        }
        let schema = Arc::new(ArrowSchema::new(fields));
        let job = MatchJob {
            reader: Arc::new(TableReader::new(request)),
            keys,
            reads_all: reads.all_rows,
            position: places + 1,
            origins,
            schema: Arc::clone(&schema),
        };
        let ahead = Ahead { threads: thread_budget()?, memory: memory_budget()? / 2, cancel: cancel.clone() };
        Ok(Self { batches: OrderedStream::new(Arc::new(job), tasks, ahead), schema })
    }

    /// The schema of every batch.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The next batch, if there is one within a time; `Ready(None)` is the end.
    pub fn next_timeout(&mut self, timeout: Duration) -> Poll<Option<Result<RecordBatch>>> {
        self.batches.next_until(Instant::now().checked_add(timeout))
    }
}

/// What of the files is read.
#[derive(Clone, Copy)]
struct Reads<'w> {
    /// Whether all of their rows are.
    all_rows: bool,
    /// The names of the columns that are; `None` is all.
    wanted: Option<&'w [String]>,
}

impl Reads<'_> {
    /// The columns that are read, and for each column of the table which of them it is.
    fn columns(&self, table: &Schema) -> Result<(Vec<Field>, Vec<Option<usize>>)> {
        let known = |name: &String| table.fields().iter().any(|field| field.name == *name);
        if let Some(name) = self.wanted.and_then(|names| names.iter().find(|name| !known(name))) {
            return Err(Error::invalid_input("the table has no such column").with("column", name));
        }
        let is_read = |field: &Field| self.wanted.is_none_or(|names| names.contains(&field.name));
        let mut some = Vec::new();
        let origins = table.fields().iter().map(|field| {
            is_read(field).then(|| {
                some.push(field.clone());
                some.len() - 1
            })
        });
        let origins = origins.collect();
        Ok((some, origins))
    }
}

/// Some columns of a table, and where its rows are.
fn with_places(table: &Schema, some: Vec<Field>, has_lineage: bool) -> Result<Schema> {
    let ids = [Some(FILE), Some(POS), has_lineage.then_some(ROW_ID)];
    let mut fields = some;
    for id in ids.into_iter().flatten() {
        let column = metadata_column(id).ok_or_else(|| Error::internal("a metadata column has its id"))?;
        fields.push(of_free_name(column, table));
    }
    Schema::new(table.schema_id(), fields)
}

/// Reads the rows of files.
struct MatchJob {
    reader: Arc<TableReader>,
    keys: Option<Arc<SourceKeys>>,
    reads_all: bool,
    /// Which column that is read has the positions.
    position: usize,
    /// For each column of the table which of those that are read it is.
    origins: Vec<Option<usize>>,
    schema: SchemaRef,
}

impl Job for MatchJob {
    type Task = FoundFile;
    type Part = FoundFile;
    type Item = RecordBatch;

    const THREAD: &'static str = "floeberg-match";

    fn open(&self, file: FoundFile) -> Result<Vec<FoundFile>> {
        Ok(vec![file])
    }

    fn work(&self, file: FoundFile, give: &mut dyn FnMut(RecordBatch) -> Result<bool>) -> Result<()> {
        let batches = if self.reads_all {
            read_task(&self.reader, &file.task)?
        } else {
            // The positions say all that the filter says.
            let whole = FileScanTask { residual: Arc::new(BoundExpr::True), ..file.task.clone() };
            read_rows(&self.reader, &whole, &file.positions)?
        };
        let mut found = file.positions.iter().zip(file.source_rows.iter().copied()).peekable();
        for batch in batches {
            let batch = batch.context("path", &file.task.file_path)?;
            let Some(keys) = &self.keys else {
                if !give(self.made(&batch, None)?)? {
                    return Ok(());
                }
                continue;
            };
            let positions = batch.column(self.position).as_primitive::<Int64Type>();
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
            if !rows.is_empty() && !give(self.matched(&batch, rows, of_source)?)? {
                return Ok(());
            }
        }
        Ok(())
    }

    fn bytes(batch: &RecordBatch) -> u64 {
        batch.get_array_memory_size() as u64
    }
}

impl MatchJob {
    /// These rows of a batch, each with its row of the source.
    fn matched(
        &self,
        batch: &RecordBatch,
        rows: Vec<u32>,
        of_source: Vec<Option<u32>>,
    ) -> Result<RecordBatch> {
        let is_whole = rows.len() == batch.num_rows() && rows.iter().zip(0_u32..).all(|(row, at)| *row == at);
        let of_source: ArrayRef = Arc::new(UInt32Array::from(of_source));
        if is_whole {
            return self.made(batch, Some(of_source));
        }
        let taken = take_record_batch(batch, &UInt32Array::from(rows))
            .map_err(|error| Error::internal("rows that match are taken").caused_by(error))?;
        self.made(&taken, Some(of_source))
    }

    /// Rows that were read with all columns of the table, and their rows of the source.
    fn made(&self, read: &RecordBatch, of_source: Option<ArrayRef>) -> Result<RecordBatch> {
        let of_table = self.origins.iter().zip(self.schema.fields()).map(|(origin, field)| match origin {
            Some(number) => Arc::clone(read.column(*number)),
            None => new_null_array(field.data_type(), read.num_rows()),
        });
        let places = read.columns()[self.position - 1..].iter().cloned();
        RecordBatch::try_new(Arc::clone(&self.schema), of_table.chain(places).chain(of_source).collect())
            .map_err(|error| {
                Error::internal("rows that match have the columns of the table").caused_by(error)
            })
    }
}
