//! Which rows differ between two tables?
//!
//! In: the columns of both, and their rows, which can be read again. Out: batches of rows that went, came or changed.
//!
//! ```text
//! read      columns of the second table that are compared, by name | key columns that are not
//! rows      one row by their keys, else by the values of all columns that are compared
//! ```
//!
//! Invariant: no table format is known here. Rows are kept within a quarter of the memory budget. Beyond it both tables are read
//! again, and only numbers of their rows are kept.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;
use std::vec;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{FieldRef, Fields, Schema, SchemaRef};
use floeberg_core::rows::RowHashes;
use floeberg_core::{Cancel, Context as _, Error, Result};
use floeberg_exec::budget::memory_budget;

use crate::cast::quoted;
use crate::changed_cells::{ChangedCells, RowCounts, misfit};
use crate::common_columns::{common_column, common_values, is_same_column, new_column};
use crate::hashable::hashable;
use crate::matching::{Matcher, RowNumbers, Side};
use crate::paired::{MatchedSides, PairedRows, SideRows};

/// Batches of the rows of a table.
pub trait TableBatches: Send {
    /// The next batch; `None` after the last one.
    ///
    /// Errors: those of reading.
    fn next_batch(&mut self) -> Result<Option<RecordBatch>>;
}

/// Rows of a table, which can be read several times, always in the same order.
pub trait TableRows: fmt::Debug + Send + Sync {
    /// All columns.
    ///
    /// Errors: those of the schema.
    fn schema(&self) -> Result<SchemaRef>;

    /// Begins to read these columns.
    ///
    /// Errors: those of planning.
    fn open(&self, columns: &[String], cancel: &Cancel) -> Result<Box<dyn TableBatches>>;
}

/// Which columns of two tables are compared, and what makes rows of them one row.
#[derive(Debug, Clone)]
pub struct TwoTables {
    /// The columns that are read, those that are shown first.
    fields: Fields,
    /// How many are shown.
    shown: usize,
    /// Which of them are the key.
    key: Vec<usize>,
    /// The names of the columns that the first table has.
    known: Vec<String>,
    cells: ChangedCells,
}

impl TwoTables {
    /// Of the columns of both. Rows are one row by the columns of `key`, else by `own_key` where both tables have these columns, else by
    /// the values of all columns that are selected; `*` is all columns of the second table.
    ///
    /// Errors: `InvalidInput` for an unknown column, a part of one, and one that has a type of another meaning in the first table.
    pub fn new(
        before: &Schema,
        after: &Schema,
        selected: &[String],
        key: Option<Vec<String>>,
        own_key: Vec<String>,
    ) -> Result<Self> {
        let is_all = selected.iter().any(|name| name == "*");
        for name in selected.iter().filter(|name| *name != "*") {
            check_column(name, after)?;
        }
        let has_all = |names: &[String]| {
            let has = |name: &String| before.index_of(name).is_ok() && after.index_of(name).is_ok();
            names.iter().all(has)
        };
        let key = match key {
            Some(names) if names.is_empty() => {
                return Err(Error::invalid_input("key: expected the name of a column, found none"));
            }
            Some(names) => {
                if let Some(name) = names.iter().find(|name| !has_all(std::slice::from_ref(*name))) {
                    let name = quoted(name);
                    return Err(Error::invalid_input(format!(
                        "key: expected columns of both tables, found {name}"
                    )));
                }
                names
            }
            None if has_all(&own_key) => own_key,
            None => Vec::new(),
        };
        let common = |field: &FieldRef| -> Result<FieldRef> {
            Ok(Arc::new(match before.index_of(field.name()) {
                Ok(place) => common_column(before.field(place), field)?,
                Err(_) => new_column(field),
            }))
        };
        let is_shown = |field: &&FieldRef| is_all || selected.contains(field.name());
        let mut fields: Vec<FieldRef> =
            after.fields().iter().filter(is_shown).map(common).collect::<Result<_>>()?;
        let cells = ChangedCells::new(&fields.clone().into()).with_key(&key);
        let shown = fields.len();
        let mut places = Vec::with_capacity(key.len());
        for name in &key {
            let place = fields.iter().position(|field| field.name() == name);
            places.push(place.unwrap_or(fields.len()));
            if place.is_none() {
                let own = after.index_of(name).map_err(misfit)?;
                fields.push(common(&after.fields()[own])?);
            }
        }
        let names = fields.iter().map(|field| field.name().clone());
        let known = names.filter(|name| before.index_of(name).is_ok()).collect();
        Ok(Self { fields: fields.into(), shown, key: places, known, cells })
    }

    /// `_change`, `_changed_columns`, `before` and `after`.
    pub fn schema(&self) -> &SchemaRef {
        self.cells.output()
    }

    /// The rows that differ between two tables. Nothing is read before the first batch.
    pub fn stream(&self, before: Arc<dyn TableRows>, after: Arc<dyn TableRows>) -> TwoTablesStream {
        TwoTablesStream {
            tables: self.clone(),
            // As sides number snapshots.
            rows: [after, before],
            paired: None,
            ready: VecDeque::new(),
            is_over: false,
        }
    }

    /// How many rows differ.
    ///
    /// Errors: those of [`TwoTablesStream::next_batch`].
    pub fn counts(
        &self,
        before: Arc<dyn TableRows>,
        after: Arc<dyn TableRows>,
        cancel: &Cancel,
    ) -> Result<RowCounts> {
        let mut counts = RowCounts::default();
        let mut stream = self.stream(before, after);
        while let Some(batch) = stream.next_batch(cancel)? {
            counts.add(&batch);
        }
        Ok(counts)
    }

    fn names_of(&self, side: Side) -> Vec<String> {
        match side {
            Side::Inserted => self.fields.iter().map(|field| field.name().clone()).collect(),
            Side::Deleted => self.known.clone(),
        }
    }

    /// The columns of a batch of a table, as they are compared.
    fn common(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let rows = batch.num_rows();
        let given = batch.schema_ref();
        let column = |to: &FieldRef| {
            let place = given.index_of(to.name()).ok();
            common_values(place.map(|place| (batch.column(place), given.field(place))), to, rows)
        };
        let columns = self.fields.iter().map(column).collect::<Result<Vec<_>>>()?;
        let schema = Arc::new(Schema::new(self.fields.clone()));
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(schema, columns, &options).map_err(misfit)
    }

    fn numbers(&self, batch: &RecordBatch, hashes: &RowHashes) -> Result<RowNumbers> {
        let named = self.fields.iter().zip(batch.columns());
        let columns =
            named.map(|(field, column)| hashable(field.name(), column)).collect::<Result<Vec<_>>>()?;
        let rows = hashes.of(&columns, batch.num_rows())?;
        let of_key: Vec<ArrayRef> = self.key.iter().map(|place| Arc::clone(&columns[*place])).collect();
        let keys = if of_key.is_empty() { None } else { Some(hashes.of(&of_key, batch.num_rows())?) };
        Ok(RowNumbers { rows, keys })
    }
}

/// Which columns differ between two tables, by their names: `added`, `dropped`, or `changed`, which have another type, or may be null in
/// one table alone. Those of the second table come first.
pub fn differing_columns(before: &Schema, after: &Schema) -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    for field in after.fields() {
        match before.index_of(field.name()) {
            Err(_) => found.push((field.name().clone(), "added")),
            Ok(place) if !is_same_column(before.field(place), field) => {
                found.push((field.name().clone(), "changed"));
            }
            Ok(_) => {}
        }
    }
    let gone = before.fields().iter().filter(|field| after.index_of(field.name()).is_err());
    found.extend(gone.map(|field| (field.name().clone(), "dropped")));
    found
}

/// Errors: `InvalidInput` for an unknown column, and for a part of another one.
fn check_column(name: &str, after: &Schema) -> Result<()> {
    if after.index_of(name).is_ok() {
        return Ok(());
    }
    let whole = name.split_once('.').map(|(whole, _)| whole).filter(|whole| after.index_of(whole).is_ok());
    if let Some(whole) = whole {
        return Err(Error::invalid_input(format!(
            "a difference has whole columns, found {}: select {}",
            quoted(name),
            quoted(whole)
        )));
    }
    let known: Vec<_> = after.fields().iter().map(|field| quoted(field.name())).collect();
    Err(Error::invalid_input(format!(
        "the table has no column {}, its columns are {}",
        quoted(name),
        known.join(", ")
    )))
}

/// The rows that differ between two tables, in batches. Those that went come before those that came.
pub struct TwoTablesStream {
    tables: TwoTables,
    rows: [Arc<dyn TableRows>; 2],
    /// `None` before the rows were matched.
    paired: Option<PairedRows>,
    ready: VecDeque<RecordBatch>,
    is_over: bool,
}

impl fmt::Debug for TwoTablesStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TwoTablesStream").field("tables", &self.tables).finish_non_exhaustive()
    }
}

impl TwoTablesStream {
    /// The next batch, which has rows; `None` after the last one, and after an error.
    ///
    /// Errors: those of reading both tables; `InvalidInput` for a value that does not fit the common type; `LimitExceeded`; `Cancelled`.
    pub fn next_batch(&mut self, cancel: &Cancel) -> Result<Option<RecordBatch>> {
        let next = self.next(cancel);
        if !matches!(next, Ok(Some(_))) {
            (self.is_over, self.paired) = (true, None);
        }
        next
    }

    fn next(&mut self, cancel: &Cancel) -> Result<Option<RecordBatch>> {
        loop {
            cancel.check()?;
            if let Some(batch) = self.ready.pop_front() {
                if batch.num_rows() > 0 {
                    return Ok(Some(batch));
                }
                continue;
            }
            if self.is_over {
                return Ok(None);
            }
            let Some(paired) = &mut self.paired else {
                self.paired = Some(self.matched(cancel)?);
                continue;
            };
            let shown: Vec<usize> = (0..self.tables.shown).collect();
            let select = |batch: &RecordBatch| batch.project(&shown).map_err(misfit);
            match paired.next_until(&select, &self.tables.cells, None) {
                Poll::Ready(Some(batches)) => self.ready.extend(batches?),
                Poll::Ready(None) => self.is_over = true,
                Poll::Pending => return Err(Error::internal("rows without a deadline are there or not")),
            }
        }
    }

    /// Reads all rows of both tables, and matches them.
    fn matched(&self, cancel: &Cancel) -> Result<PairedRows> {
        let most_bytes = memory_budget()? / 4;
        let hashes = RowHashes::default();
        let mut matcher = Matcher::default();
        let (mut kept, mut bytes) = (Some([Vec::new(), Vec::new()]), 0_u64);
        for side in [Side::Inserted, Side::Deleted] {
            let mut rows = self.opened(side, cancel)?;
            while let Some(batch) = rows.next_common()? {
                matcher.add(side, self.tables.numbers(&batch, &hashes)?)?;
                bytes = bytes.saturating_add(batch.get_array_memory_size() as u64);
                if bytes > most_bytes {
                    kept = None;
                }
                if let Some(kept) = &mut kept {
                    kept[side.snapshot()].push(batch);
                }
            }
        }
        let rows = self.rows.clone();
        let again = Again { tables: self.tables.clone(), rows, kept, cancel: cancel.clone() };
        PairedRows::new(Box::new(again), matcher.finish(), most_bytes)
    }

    fn opened(&self, side: Side, cancel: &Cancel) -> Result<Opened> {
        opened(&self.tables, &self.rows, side, cancel)
    }
}

fn opened(tables: &TwoTables, rows: &[Arc<dyn TableRows>; 2], side: Side, cancel: &Cancel) -> Result<Opened> {
    let batches = rows[side.snapshot()].open(&tables.names_of(side), cancel).context("table", of(side))?;
    Ok(Opened { tables: tables.clone(), side, batches, cancel: cancel.clone() })
}

/// What errors call a table.
fn of(side: Side) -> &'static str {
    match side {
        Side::Inserted => "the second one",
        Side::Deleted => "the first one",
    }
}

/// The rows of both tables, kept or read again.
struct Again {
    tables: TwoTables,
    rows: [Arc<dyn TableRows>; 2],
    kept: Option<[Vec<RecordBatch>; 2]>,
    cancel: Cancel,
}

impl MatchedSides for Again {
    fn open(&self, side: Side) -> Result<Box<dyn SideRows>> {
        Ok(match &self.kept {
            Some(kept) => Box::new(Kept(kept[side.snapshot()].clone().into_iter())),
            None => Box::new(opened(&self.tables, &self.rows, side, &self.cancel)?),
        })
    }
}

/// Rows that were kept.
struct Kept(vec::IntoIter<RecordBatch>);

impl SideRows for Kept {
    fn next_until(&mut self, _until: Option<Instant>) -> Poll<Option<Result<RecordBatch>>> {
        Poll::Ready(self.0.next().map(Ok))
    }
}

/// Rows of a table, as they are compared, while they are read.
struct Opened {
    tables: TwoTables,
    side: Side,
    batches: Box<dyn TableBatches>,
    cancel: Cancel,
}

impl Opened {
    fn next_common(&mut self) -> Result<Option<RecordBatch>> {
        self.cancel.check()?;
        let batch = self.batches.next_batch().context("table", of(self.side))?;
        batch.map(|batch| self.tables.common(&batch).context("table", of(self.side))).transpose()
    }
}

impl SideRows for Opened {
    fn next_until(&mut self, _until: Option<Instant>) -> Poll<Option<Result<RecordBatch>>> {
        Poll::Ready(self.next_common().transpose())
    }
}
