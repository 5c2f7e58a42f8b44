//! What are the columns of rows of a table that a source may change?
//!
//! In: a version, and the keys of a source. Out: batches of all columns, where the rows are, and the row of the source that has the key
//! of each.
//!
//! ```text
//! columns of the table | _rowaddr | with stable row ids: _rowid | _source_row: the number of the row of the source, or null
//! ```
//!
//! Invariant: a row comes once for each row of the source with its key, all in one batch, in the order of the table. Of other rows only
//! keys are read.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use arrow_buffer::BooleanBufferBuilder;
use arrow_schema::{DataType, Field, Schema as ArrowSchema};
use arrow_select::take::take_arrays;
use floeberg_core::rows::NO_ROW;
use floeberg_core::{Cancel, Error, Result};

use crate::differences::Differences;
use crate::pages::Pages;
use crate::placed_columns::PlacedColumns;
use crate::read::RowColumn;
use crate::rows::{RowStream, numbers};
use crate::rows_at::RowsAt;
use crate::source_keys::{Pairs, SourceKeys};
use crate::table::Table;

/// The column that has the number of a row of the source.
const SOURCE_ROW: &str = "_source_row";

/// The rows of a version with a key of a source.
#[derive(Debug)]
pub struct FoundRows {
    table: Table,
    keys: Arc<SourceKeys>,
    /// Ascending addresses with rows of the source; `None` where all rows are listed.
    found: Option<(Vec<u64>, Vec<u32>)>,
    /// Which rows of the source have a row of the table.
    matched: Mutex<BooleanBufferBuilder>,
}

/// The rows, being read.
#[derive(Debug)]
pub struct FoundStream {
    rows: Arc<FoundRows>,
    columns: PlacedColumns,
    reading: Reading,
}

#[derive(Debug)]
enum Reading {
    All(RowStream),
    Found { rows: RowsAt, given: usize },
}

impl FoundRows {
    /// Looks for rows. With `lists_all` all rows of the table are given, and are looked for while they are given.
    ///
    /// Errors: those of [`RowStream::next_batch`]; `Cancelled`.
    pub fn find(
        table: &Table,
        keys: Arc<SourceKeys>,
        lists_all: bool,
        pages: &Arc<dyn Pages>,
        cancel: &Cancel,
    ) -> Result<Self> {
        let mut matched = BooleanBufferBuilder::new(keys.rows());
        matched.append_n(keys.rows(), false);
        let mut rows = Self { table: table.clone(), keys, found: None, matched: Mutex::new(matched) };
        if lists_all {
            return Ok(rows);
        }
        let (mut addresses, mut of_source) = (Vec::new(), Vec::new());
        let columns = rows.keys.names().iter().map(String::as_str).chain([RowColumn::Address.name()]);
        let mut stream = RowStream::of_columns(table, columns.map(str::to_owned).collect(), None, pages)?;
        while let Some(batch) = stream.next_batch()? {
            cancel.check()?;
            let pairs = rows.keys.pairs(&batch, false)?;
            rows.mark(&pairs);
            let known = numbers(&batch, RowColumn::Address.name())?;
            addresses.extend(pairs.rows.iter().map(|row| known[*row as usize]));
            of_source.extend(pairs.of_source);
        }
        // Fragments may stand in any order in a manifest.
        if !addresses.is_sorted() {
            let mut pairs: Vec<_> = addresses.into_iter().zip(of_source).collect();
            pairs.sort_by_key(|(address, _)| *address);
            (addresses, of_source) = pairs.into_iter().unzip();
        }
        rows.found = Some((addresses, of_source));
        Ok(rows)
    }

    /// Begins to read all columns of the rows. Errors: those of [`RowsAt::new`].
    pub fn stream(self: &Arc<Self>, pages: &Arc<dyn Pages>) -> Result<FoundStream> {
        let columns = PlacedColumns::of(&self.table);
        let selected = columns.selected();
        let reading = match &self.found {
            None => Reading::All(RowStream::of_columns(&self.table, selected, None, pages)?),
            Some((addresses, _)) => Reading::Found {
                rows: RowsAt::new(&self.table, addresses.clone(), selected, pages)?,
                given: 0,
            },
        };
        Ok(FoundStream { rows: Arc::clone(self), columns, reading })
    }

    /// The rows of the source, ascending, whose keys no row has. Where all rows are listed, these were given before.
    pub fn unmatched(&self) -> Vec<u32> {
        let matched = self.matched.lock().unwrap_or_else(PoisonError::into_inner);
        (0..matched.len()).filter(|row| !matched.get_bit(*row)).map(|row| row as u32).collect()
    }

    fn mark(&self, pairs: &Pairs) {
        let mut matched = self.matched.lock().unwrap_or_else(PoisonError::into_inner);
        for row in pairs.of_source.iter().filter(|row| **row != NO_ROW) {
            matched.set_bit(*row as usize, true);
        }
    }
}

impl FoundStream {
    /// The next batch, which has rows; `None` after the last one.
    ///
    /// Errors: those of [`RowStream::next_batch`] and [`RowsAt::next_batch`]; `Cancelled`.
    pub fn next_batch(&mut self, cancel: &Cancel) -> Result<Option<RecordBatch>> {
        match &mut self.reading {
            Reading::All(stream) => {
                let Some(batch) = stream.next_batch()? else { return Ok(None) };
                cancel.check()?;
                let pairs = self.rows.keys.pairs(&batch, true)?;
                self.rows.mark(&pairs);
                let batch = self.columns.of_batch(&batch)?;
                let once = pairs.rows.iter().zip(0_u32..).all(|(row, at)| *row == at);
                let is_whole = once && pairs.rows.len() == batch.num_rows();
                let of_source: UInt32Array =
                    pairs.of_source.iter().map(|row| Some(*row).filter(|row| *row != NO_ROW)).collect();
                let columns = if is_whole {
                    batch.columns().to_vec()
                } else {
                    take_arrays(batch.columns(), &UInt32Array::from(pairs.rows), None).map_err(failed)?
                };
                with_source(&batch, columns, of_source).map(Some)
            }
            Reading::Found { rows, given } => {
                let Some(batch) = rows.next_batch(cancel)? else { return Ok(None) };
                let known = self.rows.found.as_ref().map_or(&[][..], |(_, of_source)| of_source);
                let end = *given + batch.num_rows();
                let of_source =
                    known.get(*given..end).ok_or_else(|| Error::internal("more rows than addresses"))?;
                let of_source = UInt32Array::from(of_source.to_vec());
                *given = end;
                let batch = self.columns.of_batch(&batch)?;
                with_source(&batch, batch.columns().to_vec(), of_source).map(Some)
            }
        }
    }
}

impl SourceKeys {
    /// Can a row that came into a table since a version was read have one of the keys: in a new fragment, or by a new value?
    ///
    /// Errors: those of [`RowStream::next_batch`]; `Cancelled`.
    pub fn may_have_come(
        &self,
        read: &Table,
        newest: &Table,
        pages: &Arc<dyn Pages>,
        cancel: &Cancel,
    ) -> Result<bool> {
        let (before, now) = (read.schema().to_arrow()?, newest.schema().to_arrow()?);
        for name in self.names() {
            let (Ok(before), Ok(now)) = (before.field_with_name(name), now.field_with_name(name)) else {
                return Ok(true);
            };
            if before.data_type() != now.data_type() || before.is_nullable() != now.is_nullable() {
                return Ok(true);
            }
        }
        let found = Differences::between(read, newest)?;
        let other_values: HashSet<u64> = found.other_values.into_iter().collect();
        let same: HashSet<u64> =
            found.same_rows.into_iter().filter(|id| !other_values.contains(id)).collect();
        let changed: HashSet<u64> = found.after.into_iter().filter(|id| !same.contains(id)).collect();
        if changed.is_empty() {
            return Ok(false);
        }
        let is_changed = |id: u64| changed.contains(&id);
        let mut stream = RowStream::of_columns(newest, self.names().to_vec(), Some(&is_changed), pages)?;
        while let Some(batch) = stream.next_batch()? {
            cancel.check()?;
            if !self.pairs(&batch, false)?.rows.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn with_source(
    batch: &RecordBatch,
    mut columns: Vec<ArrayRef>,
    of_source: UInt32Array,
) -> Result<RecordBatch> {
    let schema = batch.schema_ref();
    let mut fields: Vec<_> = schema.fields().iter().cloned().collect();
    fields.push(Arc::new(Field::new(SOURCE_ROW, DataType::UInt32, true)));
    columns.push(Arc::new(of_source));
    let schema = ArrowSchema::new(fields).with_metadata(schema.metadata().clone());
    RecordBatch::try_new(Arc::new(schema), columns).map_err(failed)
}

fn failed(error: arrow_schema::ArrowError) -> Error {
    Error::internal("rows could not be put beside those of the source").caused_by(error)
}
