//! Which columns do conditions and new values see, by which names?
//!
//! In: rows with columns of a table and of a source. Out: a column by its name, or a field of a struct.
//!
//! Invariant: a short name is that of one column alone.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{
    Array as _, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, StructArray, make_array,
    new_empty_array,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, FieldRef, Fields, Schema, SchemaRef};
use arrow_select::filter::FilterBuilder;
use floeberg_core::{Error, Result};

use crate::names::{find_column, listed, names_in, quoted};

/// The names by which columns are found.
#[derive(Debug)]
pub(crate) struct ViewNames {
    schema: SchemaRef,
    /// Other names, each of a column by its number.
    aliases: Vec<(String, usize)>,
    case_sensitive: bool,
}

/// Rows with their columns. A column that nobody asks for may have any type.
#[derive(Debug)]
pub(crate) struct View<'n> {
    names: &'n ViewNames,
    columns: Vec<ArrayRef>,
    rows: usize,
}

/// The columns that somebody asked for, by their numbers.
pub(crate) type Used = RefCell<BTreeSet<usize>>;

impl ViewNames {
    /// The columns of a table, each also after `target.`.
    pub(crate) fn of_table(table: &Schema, case_sensitive: bool) -> Self {
        let aliases = table.fields().iter().enumerate();
        let aliases = aliases.map(|(number, field)| (format!("target.{}", field.name()), number)).collect();
        Self { schema: Arc::new(Schema::new(table.fields().clone())), aliases, case_sensitive }
    }

    /// The columns of a batch.
    pub(crate) fn of_batch(columns: &SchemaRef) -> Self {
        Self { schema: Arc::clone(columns), aliases: Vec::new(), case_sensitive: true }
    }

    /// The columns of sides such as `target` and `source`, after the name of the side. A name that one side alone has is
    /// found without the side.
    pub(crate) fn of_sides(sides: &[(&str, &Schema)], case_sensitive: bool) -> Self {
        let fields: Vec<FieldRef> = sides
            .iter()
            .flat_map(|(side, schema)| {
                schema.fields().iter().map(move |field| {
                    Arc::new(field.as_ref().clone().with_name(format!("{side}.{}", field.name())))
                })
            })
            .collect();
        let mut short: HashMap<&str, Vec<usize>> = HashMap::new();
        let own: Vec<&str> = sides
            .iter()
            .flat_map(|(_, schema)| schema.fields().iter().map(|field| field.name().as_str()))
            .collect();
        for (number, name) in own.iter().enumerate() {
            short.entry(name).or_default().push(number);
        }
        let aliases = own.iter().enumerate().filter(|(_, name)| {
            short.get(*name).is_some_and(|found| found.len() == 1)
                && fields.iter().all(|field| field.name() != *name)
        });
        let aliases = aliases.map(|(number, name)| ((*name).to_owned(), number)).collect();
        Self { schema: Arc::new(Schema::new(Fields::from(fields))), aliases, case_sensitive }
    }

    /// The number of the column of a name.
    fn number(&self, name: &str) -> Option<usize> {
        let fields = self.schema.fields();
        let own = fields.iter().map(|field| field.name().as_str());
        let aliases = self.aliases.iter().map(|(alias, _)| alias.as_str());
        if let Some(found) = own.clone().position(|each| each == name) {
            return Some(found);
        }
        if let Some((_, found)) = self.aliases.iter().find(|(alias, _)| alias == name) {
            return Some(*found);
        }
        if self.case_sensitive {
            return None;
        }
        let wanted = name.to_lowercase();
        let own = own.enumerate().filter(|(_, each)| each.to_lowercase() == wanted).map(|(number, _)| number);
        let others = aliases.zip(&self.aliases).filter(|(each, _)| each.to_lowercase() == wanted);
        let alike: BTreeSet<usize> = own.chain(others.map(|(_, (_, number))| *number)).collect();
        alike.first().copied().filter(|_| alike.len() == 1)
    }

    /// The number of the column that a name is of, or a field below it.
    fn whole(&self, name: &str) -> Option<usize> {
        self.number(name).or_else(|| name.rsplit_once('.').and_then(|(above, _)| self.whole(above)))
    }

    /// Marks the column of a name, if there is one.
    pub(crate) fn uses(&self, name: &str, used: &Used) {
        used.borrow_mut().extend(self.whole(name));
    }

    /// Marks all columns.
    pub(crate) fn uses_all(&self, used: &Used) {
        used.borrow_mut().extend(0..self.schema.fields().len());
    }

    fn unknown(&self, name: &str) -> Error {
        let suffix = format!(".{name}");
        let sides = self.schema.fields().iter().filter(|field| field.name().ends_with(&suffix));
        let sides: Vec<&str> = sides.map(|field| field.name().as_str()).collect();
        if let ["target", "source"] =
            sides.iter().map(|full| &full[..full.len() - suffix.len()]).collect::<Vec<_>>()[..]
        {
            return Error::invalid_input(format!(
                "column {} is in the table and in the source: expected {}",
                quoted(name),
                sides.iter().map(|full| quoted(full)).collect::<Vec<_>>().join(" or ")
            ));
        }
        let own = self.schema.fields().iter().map(|field| field.name().as_str());
        let aliases = self.aliases.iter().map(|(alias, _)| alias.as_str());
        Error::invalid_input(format!(
            "column {} is unknown: expected one of {}",
            quoted(name),
            listed(own.chain(aliases))
        ))
    }
}

impl<'n> View<'n> {
    /// Rows with columns of these names, in their order.
    pub(crate) fn new(names: &'n ViewNames, columns: Vec<ArrayRef>, rows: usize) -> Self {
        Self { names, columns, rows }
    }

    /// No rows.
    pub(crate) fn empty(names: &'n ViewNames) -> Self {
        let fields = names.schema.fields().iter();
        let columns = fields.map(|field| new_empty_array(field.data_type())).collect();
        Self { names, columns, rows: 0 }
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// All columns. Errors: `Internal` where one was not read.
    pub(crate) fn batch(&self) -> Result<RecordBatch> {
        batch_of(&self.names.schema, self.columns.clone(), self.rows)
    }

    /// The column of a name, or the field of a struct, with its type.
    ///
    /// Errors: `InvalidInput` for a name that is unknown.
    pub(crate) fn column(&self, name: &str) -> Result<(FieldRef, ArrayRef)> {
        self.find(name).ok_or_else(|| self.names.unknown(name))
    }

    fn find(&self, name: &str) -> Option<(FieldRef, ArrayRef)> {
        if let Some(number) = self.names.number(name) {
            return Some((
                Arc::clone(&self.names.schema.fields()[number]),
                Arc::clone(&self.columns[number]),
            ));
        }
        let (above, field) = name.rsplit_once('.')?;
        let (_, column) = self.find(above)?;
        let DataType::Struct(fields) = column.data_type() else { return None };
        let number = find_column(names_in(fields), field, true)?;
        Some((Arc::clone(&fields[number]), field_of(column.as_struct(), number)))
    }

    /// The rows for which a mask is set.
    pub(crate) fn filter(&self, holds: &BooleanArray) -> Result<Self> {
        let filter = FilterBuilder::new(holds).optimize().build();
        let columns = self.columns.iter().map(|column| filter.filter(column)).collect::<Result<_, _>>();
        let columns =
            columns.map_err(|error| Error::internal("rows are filtered by a condition").caused_by(error))?;
        Ok(Self { names: self.names, columns, rows: filter.count() })
    }
}

/// A field of a struct, null where the struct is.
fn field_of(parent: &StructArray, number: usize) -> ArrayRef {
    let child = parent.column(number);
    match parent.nulls() {
        Some(above) if above.null_count() > 0 && *child.data_type() != DataType::Null => {
            let nulls = NullBuffer::union(Some(above), child.nulls());
            let data = child.to_data().into_builder().nulls(nulls).build();
            data.map_or_else(|_| Arc::clone(child), make_array)
        }
        _ => Arc::clone(child),
    }
}

/// A batch of columns of a schema. Errors: `Internal` where they do not fit.
pub fn batch_of(schema: &SchemaRef, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
        .map_err(|error| Error::internal("columns are put together").caused_by(error))
}
