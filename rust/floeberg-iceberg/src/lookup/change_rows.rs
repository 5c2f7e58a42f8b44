//! How are rows of a table changed, and written?
//!
//! In: a change, the rows that it looks at, and a recipe. Out: the files of new rows, and the positions of old ones.
//! Spec: Row-level deletes; Row Lineage; Default values.
//!
//! Invariant: rows are read while others are written. A row keeps its row id. An error leaves no file.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use floeberg_core::schema::Schema;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::{Cancel, Error, Result};
use floeberg_rows::{Merge, Update};
use roaring::RoaringTreemap;

use super::changed_stream::ChangedStream;
use super::found_rows::FoundRows;
use super::replaced_stream::ReplacedStream;
use super::source_columns::SourceColumns;
use crate::Scan;
use crate::write::{Matching, Receipt, WriteProgress, WriteRecipe, WriteTask, Writer};

/// What is done to rows.
pub enum RowChanges {
    /// Columns of the rows of the scan are set.
    Update(Arc<Update>),
    /// Rows that were found are changed by clauses, and others inserted.
    Merge(Arc<Merge>, Arc<FoundRows>),
    /// Rows that were found are replaced by those of a source, where they differ, and others inserted.
    Upsert {
        /// The rows of the source.
        source: Arc<SourceColumns>,
        /// The rows with a key of the source.
        found: Arc<FoundRows>,
        /// Are rows replaced? Rows whose row of the source is beyond those with columns are deleted.
        updates: bool,
        /// Are rows inserted?
        inserts: bool,
    },
    /// Rows of a source are inserted, whatever keys the table has.
    Insert(Arc<SourceColumns>),
}

/// What was changed.
#[derive(Debug)]
pub struct ChangedRows {
    /// The files of new rows.
    pub receipt: Receipt,
    /// The positions of rows that are deleted or replaced, by the paths of their data files.
    pub positions: BTreeMap<String, RoaringTreemap>,
    /// The number of rows that are replaced.
    pub updated_rows: u64,
    /// The number of rows that are inserted.
    pub inserted_rows: u64,
}

/// Where new rows go.
pub struct RowSink<'a> {
    /// How they are written: with lineage from version 3 on.
    pub recipe: &'a WriteRecipe,
    /// The part of the write.
    pub task: WriteTask<'a>,
    /// How far it is.
    pub progress: &'a Arc<WriteProgress>,
    /// Are they written, or only counted?
    pub writes: bool,
}

/// Changes rows of the snapshot of a scan.
///
/// Errors: those of reading and writing; `InvalidInput` where values do not fit or clauses contradict each other.
pub fn change_rows(
    changes: &RowChanges,
    scan: &Scan,
    sink: &RowSink<'_>,
    cancel: &Cancel,
) -> Result<ChangedRows> {
    let mut rows = NewRows::open(scan, sink, cancel)?;
    let (mut positions, mut updated_rows) = (BTreeMap::new(), 0);
    let mut run = |mut stream: ChangedStream, rows: &mut NewRows| -> Result<()> {
        for batch in stream.by_ref() {
            rows.replace(&batch?)?;
        }
        (positions, updated_rows) = (stream.positions(), stream.updated_rows());
        Ok(())
    };
    match changes {
        RowChanges::Update(update) => {
            run(ChangedStream::of_scan(scan, Arc::clone(update) as _, cancel)?, &mut rows)?;
        }
        RowChanges::Merge(merge, found) => {
            if merge.reads_table() {
                run(ChangedStream::of_rows(scan, found, Arc::clone(merge) as _, cancel)?, &mut rows)?;
            }
            if merge.inserts() {
                let new = merge.unmatched(|| found.unmatched());
                for some in new.chunks(merge.source().rows_at_once()) {
                    for batch in merge.inserted(some)? {
                        rows.insert(&batch)?;
                    }
                }
            }
        }
        RowChanges::Upsert { source, found, updates, inserts } => {
            if *updates {
                let replaced = found.replaced(scan, Arc::clone(source), cancel)?;
                for (path, some) in replaced.positions() {
                    *positions.entry(path.to_owned()).or_default() |= some;
                }
                for batch in ReplacedStream::open(scan, &replaced, cancel)? {
                    let batch = batch?;
                    updated_rows += batch.num_rows() as u64;
                    rows.replace(&batch)?;
                }
            }
            if *inserts {
                let mut new = found.unmatched();
                new.retain(|row| (*row as usize) < source.rows());
                rows.insert_rows(source, &new)?;
            }
        }
        RowChanges::Insert(source) => {
            let every: Vec<u32> = (0..source.rows() as u32).collect();
            rows.insert_rows(source, &every)?;
        }
    }
    let inserted_rows = rows.inserted;
    Ok(ChangedRows { receipt: rows.finish()?, positions, updated_rows, inserted_rows })
}

/// New rows on their way to files.
struct NewRows<'a> {
    writer: Option<Writer>,
    recipe: &'a WriteRecipe,
    /// The columns of the table, without lineage.
    table: Schema,
    has_lineage: bool,
    progress: &'a WriteProgress,
    cancel: &'a Cancel,
    replacing: Option<Matching>,
    inserted: u64,
}

impl<'a> NewRows<'a> {
    fn open(scan: &Scan, sink: &RowSink<'a>, cancel: &'a Cancel) -> Result<Self> {
        let recipe = sink.recipe;
        let has_lineage = scan.table().metadata().format_version >= 3;
        let fields = recipe.schema().fields();
        let lineage = if has_lineage { 2 } else { 0 };
        let Some(width) = fields.len().checked_sub(lineage) else {
            return Err(Error::internal("the recipe of rows that change has their lineage"));
        };
        let table = Schema::new(recipe.schema().schema_id(), fields[..width].to_vec())?;
        let writer = if sink.writes {
            Some(Writer::new(recipe, recipe.store()?, sink.task, cancel)?.report_to(sink.progress))
        } else {
            None
        };
        let progress = sink.progress.as_ref();
        Ok(Self { writer, recipe, table, has_lineage, progress, cancel, replacing: None, inserted: 0 })
    }

    /// Rows in the place of old ones: the columns of the table, and their row ids.
    fn replace(&mut self, batch: &RecordBatch) -> Result<()> {
        if self.replacing.is_none() {
            let width = self.table.fields().len();
            let columns: Vec<usize> = (0..width).collect();
            let of_table = batch.schema().project(&columns).map_err(shape)?;
            self.replacing = Some(Matching::new(&self.table, &of_table)?);
        }
        let (columns, row_ids) = batch.columns().split_at(self.table.fields().len());
        let of_table = batch.project(&(0..columns.len()).collect::<Vec<_>>()).map_err(shape)?;
        let row_ids = row_ids.first().cloned();
        let matching = self.replacing.take().ok_or_else(|| Error::internal("rows are matched"))?;
        let mut first = 0;
        let made = matching.apply_in_pieces(&of_table, 0, &mut |piece| {
            let of_piece = row_ids.as_ref().map(|row_ids| row_ids.slice(first, piece.num_rows()));
            first += piece.num_rows();
            self.write(&piece, of_piece)
        });
        self.replacing = Some(matching);
        made
    }

    /// Rows of a source, by their numbers.
    fn insert_rows(&mut self, source: &SourceColumns, rows: &[u32]) -> Result<()> {
        for some in rows.chunks(source.rows_at_once()) {
            self.insert(&source.take_rows(some)?)?;
        }
        Ok(())
    }

    /// New rows. Columns that they lack are their default, or null.
    fn insert(&mut self, batch: &RecordBatch) -> Result<()> {
        self.cancel.check()?;
        let matching = Matching::new(&self.table, batch.schema_ref())?;
        self.inserted += batch.num_rows() as u64;
        matching.apply_in_pieces(batch, 0, &mut |piece| self.write(&piece, None))
    }

    fn write(&mut self, rows: &RecordBatch, row_ids: Option<ArrayRef>) -> Result<()> {
        self.cancel.check()?;
        let Some(writer) = &mut self.writer else {
            self.progress.add_rows(rows.num_rows());
            return Ok(());
        };
        if !self.has_lineage {
            return writer.write(rows);
        }
        let nothing: ArrayRef = Arc::new(Int64Array::new_null(rows.num_rows()));
        let mut columns = rows.columns().to_vec();
        columns.push(row_ids.unwrap_or_else(|| Arc::clone(&nothing)));
        columns.push(nothing);
        let schema = Arc::new(schema_to_arrow(self.recipe.schema())?);
        writer.write(&RecordBatch::try_new(schema, columns).map_err(shape)?)
    }

    fn finish(self) -> Result<Receipt> {
        match self.writer {
            Some(writer) => writer.finish(),
            None => Receipt::concat(Vec::new()),
        }
    }
}

fn shape(error: arrow_schema::ArrowError) -> Error {
    Error::internal("new rows have the columns of the table").caused_by(error)
}
