//! What are the values of rows of a source, in the types of a table?
//!
//! In: rows of a source, and which columns of the table they have. Out: values of some rows, by their numbers.
//!
//! Invariant: all rows are checked before any is taken, and nothing is copied before it is taken: rows in a file stay there.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, new_empty_array};
use arrow_schema::{Field, Schema, SchemaRef};
use floeberg_core::{Cancel, Error, Result};

use crate::cast::{cast_field, cast_rows};
use crate::feed::LastChanges;
use crate::names::JoinedColumns;
use crate::source::SourceRows;
use crate::view::batch_of;

/// Columns of rows of a source, cast to those of a table where no value changes.
///
/// Rows with columns come first, and then rows of which only the keys count: those that a feed of changes deletes.
#[derive(Debug)]
pub struct CastSource {
    source: Arc<SourceRows>,
    /// The columns, as the table has them.
    schema: SchemaRef,
    /// For each column its number in the table, and in the source.
    columns: Vec<(usize, usize)>,
    /// Which of the columns are keys, in the order of the keys.
    keys: Vec<usize>,
    /// The rows of the source in the order of this; `None` is every row.
    rows: Option<Vec<u32>>,
    present: usize,
}

impl CastSource {
    /// The columns of a source that were found for a table. `changes` are the rows of a feed.
    ///
    /// Errors: `InvalidInput`, with the row, for a value that does not fit its column.
    pub fn new(
        table: &Schema,
        source: Arc<SourceRows>,
        joined: &JoinedColumns,
        changes: Option<LastChanges>,
        cancel: &Cancel,
    ) -> Result<Self> {
        let (mut columns, mut fields) = (Vec::new(), Vec::new());
        for (name, given) in &joined.used {
            let (of_table, of_source) = (table.index_of(name), source.schema().index_of(given));
            let (Ok(of_table), Ok(of_source)) = (of_table, of_source) else {
                return Err(Error::internal(format!("the column {name:?} of a source was found before")));
            };
            let (from, to) = (source.schema().field(of_source), table.field(of_table));
            // Types are checked where no row is, too.
            cast_field(to.name(), &new_empty_array(from.data_type()), from, to)?;
            columns.push((of_table, of_source));
            fields.push(to.clone());
        }
        let place = |key: &String| {
            let found = joined.used.iter().position(|(name, _)| name == key);
            found.ok_or_else(|| Error::internal("a key is a column of the source"))
        };
        let keys = joined.keys.iter().map(place).collect::<Result<_>>()?;
        let (rows, present) = match changes {
            None => (None, source.rows()),
            Some(LastChanges { present, deleted }) => {
                let number = present.len();
                (Some(present.into_iter().chain(deleted).collect()), number)
            }
        };
        let schema = Arc::new(Schema::new(fields));
        let made = Self { source, schema, columns, keys, rows, present };
        let every: Vec<usize> = (0..made.columns.len()).collect();
        made.check(&every, 0..present, false, cancel)?;
        made.check(&made.keys, present..made.every_row(), true, cancel)?;
        Ok(made)
    }

    /// The columns, as the table has them.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// For each column its number in the table.
    pub fn columns_of_table(&self) -> Vec<usize> {
        self.columns.iter().map(|(of_table, _)| *of_table).collect()
    }

    /// The columns that are no keys, by the names of the table.
    pub fn others(&self) -> Vec<String> {
        let names = self.schema.fields().iter().enumerate();
        names
            .filter(|(number, _)| !self.keys.contains(number))
            .map(|(_, field)| field.name().clone())
            .collect()
    }

    /// The number of rows with columns.
    pub fn rows(&self) -> usize {
        self.present
    }

    /// The most rows that are taken at once.
    pub fn rows_at_once(&self) -> usize {
        self.source.rows_at_once()
    }

    fn every_row(&self) -> usize {
        self.rows.as_ref().map_or(self.present, Vec::len)
    }

    /// All columns of some rows.
    ///
    /// Errors: `Internal` for a row that the source does not have.
    pub fn take(&self, rows: &[u32]) -> Result<RecordBatch> {
        let columns = (0..self.columns.len()).map(|column| self.column(column, rows, false));
        batch_of(&self.schema, columns.collect::<Result<_>>()?, rows.len())
    }

    /// The key columns, all optional.
    pub fn key_schema(&self) -> SchemaRef {
        let field = |key: &usize| self.schema.field(*key).clone().with_nullable(true);
        Arc::new(Schema::new(self.keys.iter().map(field).collect::<Vec<Field>>()))
    }

    /// The keys of all rows, some at a time.
    ///
    /// Errors: those of `take`.
    pub fn keys_of_all(&self, mut take: impl FnMut(RecordBatch) -> Result<()>) -> Result<()> {
        let schema = self.key_schema();
        for range in self.source.ranges(self.every_row()) {
            let rows: Vec<u32> = range.map(|row| row as u32).collect();
            let columns =
                self.keys.iter().map(|key| self.column(*key, &rows, true)).collect::<Result<_>>()?;
            take(batch_of(&schema, columns, rows.len())?)?;
        }
        Ok(())
    }

    fn column(&self, column: usize, rows: &[u32], is_optional: bool) -> Result<ArrayRef> {
        let of_source: Vec<u32>;
        let rows = match &self.rows {
            None => rows,
            Some(all) => {
                of_source = rows.iter().map(|row| all[*row as usize]).collect();
                &of_source
            }
        };
        let (to, given) = (self.schema.field(column), self.columns[column].1);
        let from = self.source.schema().field(given);
        let values = self.source.take_column(given, rows)?;
        let to = to.clone().with_nullable(is_optional || to.is_nullable());
        cast_rows(to.name(), &values, from, &to, |row| rows[row] as usize)
    }

    /// Casts some columns of a range of rows.
    fn check(&self, columns: &[usize], of: Range<usize>, is_optional: bool, cancel: &Cancel) -> Result<()> {
        for range in self.source.ranges(of.len()) {
            cancel.check()?;
            let rows: Vec<u32> = range.map(|row| (of.start + row) as u32).collect();
            for column in columns {
                self.column(*column, &rows, is_optional)?;
            }
        }
        Ok(())
    }
}
