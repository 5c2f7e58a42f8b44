//! Which files hold the rows that stay?
//!
//! In: data files, and the rows of them that go. Out: new data files with all others.
//! Spec: Row Lineage; Column Projection.
//!
//! Invariant: rows keep their order, and in v3 their row ids and the sequence numbers of their last updates. Rows that were
//! deleted already are not copied.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{BooleanArray, RecordBatch};
use arrow_select::filter::filter_record_batch;
use floeberg_core::expr::BoundExpr;
use floeberg_core::schema::reserved::{POS, metadata_column};
use floeberg_core::schema::{Field, Schema};
use floeberg_core::{Context as _, Error, Result};
use floeberg_iceberg::plan::FileScanTask;
use floeberg_iceberg::read::{TableReader, read_task};
use floeberg_iceberg::write::{Receipt, WriteRecipe, WriteTask, Writer, WrittenFile};
use floeberg_io::StoreOptions;
use roaring::RoaringTreemap;

use super::Matched;
use super::matched::read_request;
use crate::produce::ActionContext;
use crate::random::random_uuid;

/// Writes the other rows of the files.
///
/// Errors: those of reading, and of writing by the table's properties.
pub(crate) fn copied(context: &ActionContext<'_>, files: Vec<Matched>) -> Result<Receipt> {
    let recipe = WriteRecipe::new(&context.metadata, &StoreOptions::new(), &BTreeMap::new(), &random_uuid())?;
    let recipe = if context.metadata.format_version >= 3 { recipe.with_lineage()? } else { recipe };
    let mut fields = recipe.schema().fields().to_vec();
    fields.extend(metadata_column(POS).map(|position| of_free_name(position, recipe.schema())));
    let projected = Schema::new(recipe.schema().schema_id(), fields)?;
    let (store, cancel) = (Arc::clone(&context.reader.store), &context.reader.cancel);
    let reader = Arc::new(TableReader::new(read_request(context, projected)?));
    let mut writer = Writer::new(&recipe, store, WriteTask { partition: 0, name: "0" }, cancel)?;
    for Matched { task, rows, .. } in files {
        let path = task.file_path.clone();
        let whole = FileScanTask { residual: Arc::new(BoundExpr::True), ..task };
        for batch in read_task(&reader, &whole)? {
            let batch = others(&batch.context("path", &path)?, &rows)?;
            if batch.num_rows() > 0 {
                writer.write(&batch)?;
            }
        }
    }
    // They are of this very table: nothing has to be looked at.
    let files = writer.finish()?.into_files().into_iter();
    Receipt::new(files.map(|written| WrittenFile { purpose: None, ..written }).collect())
}

/// A column may be called `_pos` too. Columns are read by their ids.
fn of_free_name(mut position: Field, schema: &Schema) -> Field {
    while schema.find(&position.name, true).is_ok() {
        position.name.insert(0, '_');
    }
    position
}

/// The rows at other positions, without the positions: the last column.
fn others(batch: &RecordBatch, rows: &RoaringTreemap) -> Result<RecordBatch> {
    let last = batch.num_columns().saturating_sub(1);
    let positions = batch.column(last).as_primitive::<Int64Type>().values();
    let stays: BooleanArray =
        positions.iter().map(|position| Some(!rows.contains(*position as u64))).collect();
    let columns: Vec<usize> = (0..last).collect();
    let kept = batch.project(&columns).and_then(|batch| filter_record_batch(&batch, &stays));
    kept.map_err(|error| Error::internal("rows that stay are copied").caused_by(error))
}
