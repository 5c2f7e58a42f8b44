//! What are the values of rows of a source, in the types of the table?
//!
//! In: rows of a source, and which columns of the table they have. Out: values of some rows, by their numbers.
//!
//! Invariant: all rows are checked before any is taken, and nothing is copied before it is taken: rows in a file stay there.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::Schema as ArrowSchema;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::schema::{Field, Schema};
use floeberg_core::{Cancel, Error, Result};
use floeberg_rows::{LastChanges, SourceRows};

use crate::write::Matching;

/// Columns of rows of a source.
///
/// Rows with columns come first, and then rows of which only the keys count: those that a feed of changes deletes.
#[derive(Debug)]
pub struct SourceColumns {
    schema: Arc<Schema>,
    source: Arc<SourceRows>,
    /// For each column its number in the source.
    columns: Vec<usize>,
    matching: Matching,
    /// The rows of the source in the order of this; `None` is every row.
    rows: Option<Vec<u32>>,
    present: usize,
}

impl SourceColumns {
    /// Some columns of a source: pairs of a column of the table and the name in the source, in the order of the table.
    ///
    /// `changes` are the rows of a feed. Errors: one `InvalidInput` that lists the columns that do not fit; `InvalidInput`, naming
    /// column and row, for a value that does not fit.
    pub fn new(
        table: &Schema,
        source: &Arc<SourceRows>,
        used: &[(String, String)],
        keys: &[String],
        changes: Option<LastChanges>,
        cancel: &Cancel,
    ) -> Result<Self> {
        let every = Self::unchecked(table, source, used)?;
        let (rows, present) = match changes {
            None => (None, source.rows()),
            Some(LastChanges { present, deleted }) => {
                let number = present.len();
                (Some(present.into_iter().chain(deleted).collect()), number)
            }
        };
        let made = Self { rows, present, ..every };
        made.check_values(0, present, cancel)?;
        if made.rows.as_ref().is_some_and(|rows| rows.len() > present) {
            let of_keys: Vec<_> = used.iter().filter(|(name, _)| keys.contains(name)).cloned().collect();
            let keys = Self::unchecked(table, &made.source, &of_keys)?;
            let keys = Self { rows: made.rows.clone(), present, ..keys };
            keys.check_values(present, made.every_row(), cancel)?;
        }
        Ok(made)
    }

    fn unchecked(table: &Schema, source: &Arc<SourceRows>, used: &[(String, String)]) -> Result<Self> {
        let (mut ids, mut columns, mut fields) = (Vec::new(), Vec::new(), Vec::new());
        for (name, given) in used {
            ids.push(table.find(name, true)?);
            let number = source
                .schema()
                .index_of(given)
                .map_err(|_| Error::internal(format!("the source has no column {given:?}")))?;
            columns.push(number);
            fields.push(source.schema().field(number).clone().with_name(name));
        }
        let of_table = table.select(&ids)?;
        let matching = Matching::new(&of_table, &ArrowSchema::new(fields))?;
        if of_table.fields().iter().zip(used).any(|(field, (name, _))| field.name != *name) {
            return Err(Error::internal("columns of a source stand in the order of the table"));
        }
        let optional = |field: &Field| Field { required: false, ..field.clone() };
        let fields = of_table.fields().iter().map(optional).collect();
        Ok(Self {
            schema: Arc::new(Schema::new(table.schema_id(), fields)?),
            source: Arc::clone(source),
            columns,
            matching,
            rows: None,
            present: source.rows(),
        })
    }

    /// The columns, all optional.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The number of rows with columns.
    pub fn rows(&self) -> usize {
        self.present
    }

    /// The number of all rows.
    fn every_row(&self) -> usize {
        self.rows.as_ref().map_or(self.present, Vec::len)
    }

    /// The most rows that are taken at once: fewer where rows are long.
    pub(super) fn rows_at_once(&self) -> usize {
        self.source.rows_at_once()
    }

    /// The values of a column in some rows, in their order.
    pub(super) fn take(&self, column: usize, rows: &[u32]) -> Result<ArrayRef> {
        let taken = match &self.rows {
            None => self.source.take_column(self.columns[column], rows),
            Some(all) => {
                let rows: Vec<u32> = rows.iter().map(|row| all[*row as usize]).collect();
                self.source.take_column(self.columns[column], &rows)
            }
        };
        self.matching.apply_column(column, &taken?)
    }

    /// All columns of some rows.
    ///
    /// Errors: `Internal` for a row that the source does not have.
    pub fn take_rows(&self, rows: &[u32]) -> Result<RecordBatch> {
        let columns = (0..self.columns.len()).map(|column| self.take(column, rows));
        let schema = schema_to_arrow(&self.schema)?;
        RecordBatch::try_new(Arc::new(schema), columns.collect::<Result<_>>()?)
            .map_err(|error| Error::internal("rows of the source have its columns").caused_by(error))
    }

    /// The keys of all rows, some at a time: batches of columns of a schema, by their ids.
    ///
    /// Errors: `Internal` for a key that is no column of the source; those of `take`.
    pub fn keys_of_all(&self, keys: &Schema, mut take: impl FnMut(RecordBatch) -> Result<()>) -> Result<()> {
        let of_keys = keys.fields().iter().map(|key| {
            let number = self.schema.fields().iter().position(|field| field.id == key.id);
            number.ok_or_else(|| Error::internal("a key is a column of the source"))
        });
        let of_keys = of_keys.collect::<Result<Vec<_>>>()?;
        let schema = Arc::new(schema_to_arrow(keys)?);
        for range in self.source.ranges(self.every_row()) {
            let rows: Vec<u32> = range.map(|row| row as u32).collect();
            let columns = of_keys.iter().map(|column| self.take(*column, &rows)).collect::<Result<_>>()?;
            let batch = RecordBatch::try_new(Arc::clone(&schema), columns)
                .map_err(|error| Error::internal("keys of the source").caused_by(error))?;
            take(batch)?;
        }
        Ok(())
    }

    /// Checks the values of a range of rows. The error names the row of the source.
    fn check_values(&self, first: usize, end: usize, cancel: &Cancel) -> Result<()> {
        for range in self.source.ranges(end - first) {
            cancel.check()?;
            let rows = range.map(|row| (first + row) as u32);
            let of_source = |row: u32| self.rows.as_ref().map_or(row, |all| all[row as usize]);
            let taken: Vec<u32> = rows.map(of_source).collect();
            let columns = self.columns.iter().map(|column| self.source.take_column(*column, &taken));
            self.matching.check(&columns.collect::<Result<Vec<_>>>()?, &taken)?;
        }
        Ok(())
    }
}
