//! How do new columns become a file for each fragment?
//!
//! In: what gives the values of new columns. Out: a file for each fragment.
//!
//! Invariant: a file has a row for each row of its fragment. Rows that are deleted get null.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use arrow_array::{RecordBatch, UInt32Array};
use arrow_schema::{ArrowError, DataType, Field, Schema as ArrowSchema, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::take::take_arrays;
use floeberg_core::{Cancel, Error, Result};
use floeberg_rows::{Functions, NewValue, batch_of, cast_field, computed_columns};

use super::data_files::{DataFileWriter, DataFiles, Destination};
use crate::change::{NewColumn, add_columns};
use crate::group::Group;
use crate::pages::Pages;
use crate::read::RowColumn;
use crate::rows::{Fragments, RowStream, numbers};
use crate::scan::Scan;
use crate::table::Table;
use crate::wire::Operation;

/// The number of rows by which the type of a function's values is known.
const FIRST_ROWS: u64 = 100;
/// The start of the names of metadata that say which extension type a column has.
const EXTENSION: &str = "ARROW:extension:";

/// What gives the values of new columns.
pub enum ColumnValues<'a> {
    /// Values that are computed of the columns that are there.
    Computed(Vec<NewValue>, Arc<dyn Functions>),
    /// Rows, one for each row of the table, in the order of a scan.
    Rows(RowByRow<'a>),
}

/// Rows, as many at a time as are asked for.
pub struct RowByRow<'a> {
    next: Box<dyn FnMut() -> Result<Option<RecordBatch>> + 'a>,
    rest: Option<RecordBatch>,
    taken: u64,
}

/// What adding columns does, before its commit.
#[derive(Debug)]
pub struct NewColumns {
    /// Adds the columns.
    pub operation: Operation,
    /// Their files.
    pub files: DataFiles,
}

/// The new columns of values, each with its type.
///
/// The types of functions are those of the values of the first rows. Errors: `InvalidInput` for names and for a column without a type;
/// those of functions and of reading; `Cancelled`.
pub fn column_types(
    table: &Table,
    values: &[(String, NewValue)],
    functions: &Arc<dyn Functions>,
    pages: &Arc<dyn Pages>,
    cancel: &Cancel,
) -> Result<ArrowSchema> {
    let own = Arc::new(table.schema().to_arrow()?);
    let mut first = None;
    let mut fields = Vec::with_capacity(values.len());
    for (name, value) in values {
        let rows = match (value, &first) {
            (NewValue::Function(_), Some(rows)) => RecordBatch::clone(rows),
            (NewValue::Function(_), None) => first.insert(first_rows(table, &own, pages, cancel)?).clone(),
            _ => RecordBatch::new_empty(Arc::clone(&own)),
        };
        let made = computed_columns(std::slice::from_ref(value), &rows, None, Arc::clone(functions))?;
        let found = made.schema_ref().field(0);
        if *found.data_type() == DataType::Null {
            return Err(Error::invalid_input(format!(
                "the new column '{name}' has no type: pass a pyarrow.field to add nulls"
            )));
        }
        let metadata = found.metadata().iter().filter(|(key, _)| key.starts_with(EXTENSION));
        let metadata: std::collections::HashMap<_, _> =
            metadata.map(|(key, value)| (key.clone(), value.clone())).collect();
        fields.push(Field::new(name, found.data_type().clone(), true).with_metadata(metadata));
    }
    Ok(ArrowSchema::new(fields))
}

fn first_rows(
    table: &Table,
    own: &SchemaRef,
    pages: &Arc<dyn Pages>,
    cancel: &Cancel,
) -> Result<RecordBatch> {
    let request = Scan::new(table.clone()).request()?;
    let group = Fragments::Group(Group::whole(&request));
    let mut stream = RowStream::new(group, Arc::clone(pages), Some(FIRST_ROWS));
    let mut batches = Vec::new();
    while let Some(batch) = stream.next_batch()? {
        cancel.check()?;
        batches.push(with_schema(&batch, own)?);
    }
    concat_batches(own, &batches).map_err(shape)
}

/// Writes a file of new columns for each fragment. `replaces` has for each column the one whose place it takes, if any.
///
/// Errors: `InvalidInput` for values that do not fit, a required column where rows are deleted, and another number of rows; those of
/// reading and writing; `Cancelled`. No file is left.
pub fn write_columns(
    table: &Table,
    pages: &Arc<dyn Pages>,
    schema: &SchemaRef,
    replaces: &[Option<String>],
    mut values: ColumnValues<'_>,
    cancel: &Cancel,
) -> Result<NewColumns> {
    let destination = Destination::of_table(table, pages)?;
    let address = RowColumn::Address.name();
    let selected = match values {
        ColumnValues::Computed(..) => vec!["*".to_owned(), address.to_owned()],
        ColumnValues::Rows(_) => vec![address.to_owned()],
    };
    let request = Scan::new(table.clone()).select(selected).request()?;
    let own = Arc::new(table.schema().to_arrow()?);
    let mut writer = DataFileWriter::new(destination, Arc::clone(schema), u64::MAX);
    let fragments = &table.manifest().fragments;
    for (place, rows) in fragments.physical_rows().iter().enumerate() {
        let mut stream = RowStream::of_fragment(&request, place, pages);
        let (mut parts, mut places) = (Vec::new(), Vec::new());
        while let Some(batch) = stream.next_batch()? {
            cancel.check()?;
            places.extend(numbers(&batch, address)?.iter().map(|address| (address & 0xffff_ffff) as u32));
            parts.push(values.of(&batch, &own, schema)?);
        }
        writer.write(&whole_fragment(&parts, &places, *rows, schema)?)?;
        writer.end_file()?;
    }
    values.check_is_over()?;
    let files = writer.finish(&[])?;
    let by_fragment: BTreeMap<_, _> =
        fragments.ids().iter().copied().zip(files.files().iter().cloned()).collect();
    let columns = schema.fields().iter().zip(replaces);
    let columns: Vec<_> = columns
        .map(|(field, replaces)| NewColumn { field: Field::clone(field), replaces: replaces.clone() })
        .collect();
    let operation = add_columns(table, &columns, &by_fragment).inspect_err(|_| files.remove())?;
    Ok(NewColumns { operation, files })
}

/// The new columns of a fragment, of its live rows and null for the others.
fn whole_fragment(
    parts: &[RecordBatch],
    places: &[u32],
    rows: u64,
    schema: &SchemaRef,
) -> Result<RecordBatch> {
    let found = concat_batches(schema, parts).map_err(shape)?;
    if places.len() as u64 == rows {
        return Ok(found);
    }
    if let Some(required) = schema.fields().iter().find(|field| !field.is_nullable()) {
        return Err(Error::invalid_input(format!(
            "the required column '{}' cannot be added: some rows are deleted. Compact the table first",
            required.name()
        )));
    }
    let rows = usize::try_from(rows)
        .map_err(|_| Error::unsupported("a fragment has more rows than memory can count"))?;
    let mut number_of = vec![None; rows];
    for (number, place) in (0_u32..).zip(places) {
        if let Some(of_row) = number_of.get_mut(*place as usize) {
            *of_row = Some(number);
        }
    }
    let columns = take_arrays(found.columns(), &UInt32Array::from(number_of), None).map_err(shape)?;
    RecordBatch::try_new(Arc::clone(schema), columns).map_err(shape)
}

impl ColumnValues<'_> {
    /// The new columns of live rows, in their order.
    fn of(&mut self, live: &RecordBatch, own: &SchemaRef, schema: &SchemaRef) -> Result<RecordBatch> {
        match self {
            Self::Computed(values, functions) => {
                let rows = with_schema(live, own)?;
                let made = computed_columns(values, &rows, Some(&schema.fields), Arc::clone(functions))?;
                batch_of(schema, made.columns().to_vec(), live.num_rows())
            }
            Self::Rows(rows) => rows.take(live.num_rows(), schema),
        }
    }

    /// Errors: `InvalidInput` where there are more rows.
    fn check_is_over(&mut self) -> Result<()> {
        match self {
            Self::Computed(..) => Ok(()),
            Self::Rows(rows) => rows.check_is_over(),
        }
    }
}

impl<'a> RowByRow<'a> {
    /// The rows of batches.
    pub fn new(next: impl FnMut() -> Result<Option<RecordBatch>> + 'a) -> Self {
        Self { next: Box::new(next), rest: None, taken: 0 }
    }

    fn take(&mut self, rows: usize, schema: &SchemaRef) -> Result<RecordBatch> {
        let (mut parts, mut missing) = (Vec::new(), rows);
        while missing > 0 {
            let Some(rest) = self.next_rows()? else {
                return Err(Error::invalid_input(format!(
                    "columns: expected a row for each row of the table, found only {}",
                    self.taken
                )));
            };
            let part = rest.slice(0, missing.min(rest.num_rows()));
            self.rest = Some(rest.slice(part.num_rows(), rest.num_rows() - part.num_rows()));
            self.taken += part.num_rows() as u64;
            missing -= part.num_rows();
            let columns = part.columns().iter().zip(part.schema_ref().fields()).zip(schema.fields());
            let columns = columns.map(|((column, from), to)| cast_field(to.name(), column, from, to));
            parts.push(batch_of(schema, columns.collect::<Result<_>>()?, part.num_rows())?);
        }
        concat_batches(schema, &parts).map_err(shape)
    }

    fn check_is_over(&mut self) -> Result<()> {
        if self.next_rows()?.is_none() {
            return Ok(());
        }
        Err(Error::invalid_input(format!(
            "columns: expected a row for each of the {} rows of the table, found more",
            self.taken
        )))
    }

    /// What is left of the batch, or another one that has rows.
    fn next_rows(&mut self) -> Result<Option<RecordBatch>> {
        let has_rows = |batch: &RecordBatch| batch.num_rows() > 0;
        if let Some(rest) = self.rest.take().filter(has_rows) {
            return Ok(Some(rest));
        }
        while let Some(batch) = (self.next)()? {
            if has_rows(&batch) {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}

impl fmt::Debug for RowByRow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowByRow").field("taken", &self.taken).finish_non_exhaustive()
    }
}

/// The columns of the table, by their names.
fn with_schema(batch: &RecordBatch, own: &SchemaRef) -> Result<RecordBatch> {
    let columns = own.fields().iter().map(|field| {
        let column = batch.column_by_name(field.name());
        column.cloned().ok_or_else(|| Error::internal("all columns of the table are read"))
    });
    batch_of(own, columns.collect::<Result<_>>()?, batch.num_rows())
}

fn shape(error: ArrowError) -> Error {
    Error::internal("new columns have a value for each row of a fragment").caused_by(error)
}
