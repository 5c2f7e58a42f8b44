//! What takes the place of rows that a source changes?
//!
//! In: rows of files, each with its row of the source. Out: batches of new rows.
//! Spec: Column Projection; Row Lineage.
//!
//! ```text
//! columns of the table | (v3: _row_id)
//! ```
//!
//! Invariant: columns that the source has are not read. Pages without such rows are skipped.

use std::sync::Arc;
use std::task::Poll;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::SchemaRef;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::schema::reserved::{ROW_ID, metadata_column};
use floeberg_core::schema::{Field, Schema};
use floeberg_core::{Cancel, Context as _, Error, Result};
use floeberg_exec::budget::{memory_budget, thread_budget};
use floeberg_exec::threads::{Ahead, Job, OrderedStream};

use super::found_rows::{of_free_name, with_position};
use super::paired_rows::{Pair, read_pairs};
use super::replaced_rows::{ReplacedFile, ReplacedRows};
use super::source_columns::SourceColumns;
use crate::Scan;
use crate::read::{ReadRequest, TableReader};

/// Batches of new rows.
pub struct ReplacedStream {
    batches: OrderedStream<ReplaceJob>,
}

impl ReplacedStream {
    /// Starts. Errors: those of the scan.
    pub fn open(scan: &Scan, replaced: &ReplacedRows, cancel: &Cancel) -> Result<Self> {
        let table = scan.schema()?;
        let mut columns: Vec<Field> = table.fields().to_vec();
        if scan.table().metadata().format_version >= 3 {
            let column =
                metadata_column(ROW_ID).ok_or_else(|| Error::internal("_row_id is a metadata column"))?;
            columns.push(of_free_name(column, &table));
        }
        // A source may have null where a file must not: it was tested when it was matched to the table.
        let columns: Vec<Field> =
            columns.into_iter().map(|column| Field { required: false, ..column }).collect();
        let of_source = replaced.source.schema().fields();
        let place = |column: &Field| of_source.iter().position(|other| other.id == column.id);
        let (mut origins, mut read) = (Vec::new(), Vec::new());
        for column in &columns {
            origins.push(if let Some(number) = place(column) {
                Origin::Source(number)
            } else {
                read.push(column.clone());
                Origin::File(read.len() - 1)
            });
        }
        let schema = Arc::new(schema_to_arrow(&Schema::new(table.schema_id(), columns)?)?);
        let projected = Arc::new(with_position(&Schema::new(table.schema_id(), read)?)?);
        let request = ReadRequest { projected, ..scan.read_request(cancel)? };
        let job = ReplaceJob {
            reader: Arc::new(TableReader::new(request)),
            source: Arc::clone(&replaced.source),
            origins,
            schema,
        };
        let ahead = Ahead { threads: thread_budget()?, memory: memory_budget()? / 2, cancel: cancel.clone() };
        let files = replaced.files.clone().into_iter().filter(|file| !file.replaced.is_empty()).map(Ok);
        Ok(Self { batches: OrderedStream::new(Arc::new(job), files, ahead) })
    }
}

impl Iterator for ReplacedStream {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        match self.batches.next_until(None) {
            Poll::Ready(next) => next,
            Poll::Pending => Some(Err(Error::internal("a stream without a deadline waits"))),
        }
    }
}

/// Where a column of a new row comes from.
enum Origin {
    /// The source, by the number of its column.
    Source(usize),
    /// The file, by the number of the column that is read.
    File(usize),
}

/// Makes the new rows of files.
struct ReplaceJob {
    reader: Arc<TableReader>,
    source: Arc<SourceColumns>,
    origins: Vec<Origin>,
    schema: SchemaRef,
}

impl Job for ReplaceJob {
    type Task = ReplacedFile;
    type Part = ReplacedFile;
    type Item = RecordBatch;

    const THREAD: &'static str = "floeberg-match";

    fn open(&self, file: ReplacedFile) -> Result<Vec<ReplacedFile>> {
        Ok(vec![file])
    }

    fn work(&self, file: ReplacedFile, give: &mut dyn FnMut(RecordBatch) -> Result<bool>) -> Result<()> {
        let at_once = self.source.rows_at_once();
        read_pairs(&self.reader, &file.task, &file.replaced, at_once, &mut |read, pairs| {
            give(self.made(read, pairs)?)
        })
        .context("path", &file.task.file_path)
    }

    fn bytes(batch: &RecordBatch) -> u64 {
        batch.get_array_memory_size() as u64
    }
}

impl ReplaceJob {
    /// New rows of columns that were read, and of their rows of the source.
    fn made(&self, read: &[ArrayRef], pairs: &[Pair]) -> Result<RecordBatch> {
        let rows: Vec<u32> = pairs.iter().map(|(_, row)| *row).collect();
        let columns = self.origins.iter().map(|origin| match origin {
            Origin::Source(number) => self.source.take(*number, &rows),
            Origin::File(number) => Ok(Arc::clone(&read[*number])),
        });
        RecordBatch::try_new(Arc::clone(&self.schema), columns.collect::<Result<_>>()?)
            .map_err(|error| Error::internal("new rows are made").caused_by(error))
    }
}
