//! How are the remaining rows of data files written again?
//!
//! In: data files, their deleted rows, and the recipe of new files. Out: new data files with all other rows.
//! Spec: Row Lineage; Column Projection.
//!
//! Invariant: rows keep their order unless the recipe has one, and in v3 their row ids and the sequence numbers of their last updates. Rows that were
//! deleted already are not copied.

use std::sync::Arc;
use std::task::Poll;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{BooleanArray, RecordBatch};
use arrow_select::filter::filter_record_batch;
use floeberg_core::expr::BoundExpr;
use floeberg_core::schema::reserved::{POS, metadata_column};
use floeberg_core::schema::{Field, Schema};
use floeberg_core::{Context as _, Error, Result};
use floeberg_exec::budget::memory_budget;
use floeberg_exec::threads::{Ahead, Job, OrderedStream};
use floeberg_iceberg::plan::FileScanTask;
use floeberg_iceberg::read::{TableReader, read_task};
use floeberg_iceberg::write::{Receipt, WriteRecipe, WriteTask, Writer, WrittenFile};
use roaring::RoaringTreemap;

use super::copied_groups::copied_groups;
use super::copying::{Copied, Copying};
use super::matched::{Matched, read_request};
use crate::produce::ActionContext;

/// Writes the other rows of the files, by a recipe of the table.
///
/// Errors: those of reading, and of writing by the table's properties.
pub(crate) fn rewrite_rows(
    context: &ActionContext<'_>,
    files: Vec<Matched>,
    recipe: WriteRecipe,
) -> Result<Receipt> {
    let recipe = if context.metadata.format_version >= 3 { recipe.with_lineage()? } else { recipe };
    let copying = Copying {
        request: read_request(context, columns_to_copy(&recipe)?)?,
        store: Arc::clone(&context.reader.store),
        task: WriteTask { partition: 0, name: "0" },
        threads: context.reader.threads,
        cancel: &context.reader.cancel,
    };
    copy_rows(copying, files, &recipe, &|copied| match copied {
        Copied::Rows(rows) => context.progress.add_rows(rows),
        Copied::File => context.progress.add_file(),
    })
}

/// The columns that are read: those of the recipe, and positions.
pub(crate) fn columns_to_copy(recipe: &WriteRecipe) -> Result<Schema> {
    let mut fields = recipe.schema().fields().to_vec();
    fields.extend(metadata_column(POS).map(|position| of_free_name(position, recipe.schema())));
    Schema::new(recipe.schema().schema_id(), fields)
}

/// Writes the other rows of the files, by a recipe with the columns that rows have.
///
/// Errors: those of reading and writing.
pub(crate) fn copy_rows(
    copying: Copying<'_>,
    files: Vec<Matched>,
    recipe: &WriteRecipe,
    report: &dyn Fn(Copied),
) -> Result<Receipt> {
    let (copied, files) = copied_groups(&copying, files, recipe, report)?;
    let Some(copied) = copied else { return unchecked(encode_rows(copying, files, recipe, report)?) };
    if files.is_empty() {
        return unchecked(copied);
    }
    let store = Arc::clone(&copying.store);
    let encoded = encode_rows(copying, files, recipe, report).inspect_err(|_| {
        for location in copied.locations() {
            // If this fails, the file is an orphan: nothing refers to it.
            let _ = store.remove(location);
        }
    })?;
    unchecked(Receipt::concat([copied, encoded])?)
}

fn encode_rows(
    copying: Copying<'_>,
    files: Vec<Matched>,
    recipe: &WriteRecipe,
    report: &dyn Fn(Copied),
) -> Result<Receipt> {
    let Copying { request, store, task, threads, cancel } = copying;
    let reader = Arc::new(TableReader::new(request));
    let mut writer = Writer::new(recipe, store, task, cancel)?;
    // Files are read while the rows of earlier ones are written.
    let ahead = Ahead { threads, memory: memory_budget()? / 4, cancel: cancel.clone() };
    let mut copies = OrderedStream::new(Arc::new(Copies { reader }), files.into_iter().map(Ok), ahead);
    while let Poll::Ready(Some(copy)) = copies.next_until(None) {
        match copy? {
            Copy::Rows(batch) => {
                report(Copied::Rows(batch.num_rows() as u64));
                writer.write(&batch)?;
            }
            Copy::End => report(Copied::File),
        }
    }
    writer.finish()
}

/// The same files, of this very table: nothing has to be looked at.
pub(crate) fn unchecked(receipt: Receipt) -> Result<Receipt> {
    let files = receipt.into_files().into_iter();
    Receipt::new(files.map(|written| WrittenFile { purpose: None, ..written }).collect())
}

/// A column may be called `_pos` too. Columns are read by their ids.
fn of_free_name(mut position: Field, schema: &Schema) -> Field {
    while schema.find(&position.name, true).is_ok() {
        position.name.insert(0, '_');
    }
    position
}

/// Reads the rows that stay.
struct Copies {
    reader: Arc<TableReader>,
}

/// A piece of a file that is copied.
enum Copy {
    /// Rows that stay.
    Rows(RecordBatch),
    /// There are no more of this file.
    End,
}

impl Job for Copies {
    type Task = Matched;
    type Part = Matched;
    type Item = Copy;

    const THREAD: &'static str = "floeberg-copy";

    fn open(&self, task: Matched) -> Result<Vec<Matched>> {
        Ok(vec![task])
    }

    fn work(&self, part: Matched, give: &mut dyn FnMut(Copy) -> Result<bool>) -> Result<()> {
        let Matched { task, rows, .. } = part;
        let whole = FileScanTask { residual: Arc::new(BoundExpr::True), ..task };
        for batch in read_task(&self.reader, &whole)? {
            let batch = others(&batch.context("path", &whole.file_path)?, &rows)?;
            if batch.num_rows() > 0 && !give(Copy::Rows(batch))? {
                return Ok(());
            }
        }
        give(Copy::End).map(drop)
    }

    fn bytes(item: &Copy) -> u64 {
        match item {
            Copy::Rows(batch) => batch.get_array_memory_size() as u64,
            Copy::End => 0,
        }
    }
}

/// The rows at other positions, without the positions: the last column, in ascending order.
fn others(batch: &RecordBatch, rows: &RoaringTreemap) -> Result<RecordBatch> {
    let last = batch.num_columns().saturating_sub(1);
    let positions = batch.column(last).as_primitive::<Int64Type>().values();
    let mut gone = Vec::new();
    let mut at = 0;
    let mut of_file = rows.iter();
    of_file.advance_to(positions.first().map_or(0, |first| *first as u64));
    for row in of_file {
        at += positions[at..].partition_point(|position| (*position as u64) < row);
        match positions.get(at) {
            None => break,
            Some(position) if *position as u64 == row => gone.push(at),
            Some(_) => {}
        }
    }
    let columns: Vec<usize> = (0..last).collect();
    let mut kept = batch.project(&columns);
    if !gone.is_empty() {
        let mut stays = vec![true; batch.num_rows()];
        for row in gone {
            stays[row] = false;
        }
        kept = kept.and_then(|batch| filter_record_batch(&batch, &BooleanArray::from(stays)));
    }
    kept.map_err(|error| Error::internal("rows that stay are copied").caused_by(error))
}
