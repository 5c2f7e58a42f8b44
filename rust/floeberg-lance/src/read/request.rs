//! What is read of a version?
//!
//! In: a table, a filter and names of columns. Out: fields of the table that are read, and a filter over them.
//!
//! Invariant: names are found as in tables of Iceberg: dotted, with `*` for all; columns stand in the order of the table, and those
//! that rows have by themselves after them.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_schema::{Schema as ArrowSchema, SchemaRef};
use floeberg_core::expr::{BoundExpr, Expr, bind};
use floeberg_core::schema::{Field as CoreField, Schema as CoreSchema, Type};
use floeberg_core::{Context as _, Error, Result};

use super::row_columns::RowColumn;
use crate::metadata::Field;
use crate::plan::Plan;
use crate::table::Table;

/// What is read.
#[derive(Debug)]
pub struct ReadRequest {
    table: Table,
    plan: Plan,
    output: Columns,
    schema: SchemaRef,
    filter: Option<Filter>,
    wanted: HashSet<i32>,
}

/// Columns that are read.
#[derive(Debug, Clone, Default)]
pub(super) struct Columns {
    pub(super) fields: Vec<Field>,
    pub(super) of_rows: Vec<RowColumn>,
}

/// A filter, and the columns that it tests.
#[derive(Debug)]
pub(super) struct Filter {
    pub(super) expr: BoundExpr,
    pub(super) columns: Columns,
}

impl ReadRequest {
    /// Rows of a version that match a filter, and some of its columns; `None` is all that the table declares.
    ///
    /// Errors: `InvalidInput` for names and literals that do not fit; `Unsupported` for types that are not known.
    pub fn new(
        table: &Table,
        filter: &Expr,
        selected: Option<&[String]>,
        case_sensitive: bool,
    ) -> Result<Self> {
        let known = with_row_columns(table).context("path", table.manifest_location())?;
        let output = Columns::of(table, &projected(table, &known, selected, case_sensitive)?);
        let mut half_floats = HashSet::new();
        table.schema().fields().iter().for_each(|field| add_half_floats(field, &mut half_floats));
        let bound = bind(filter, &known, case_sensitive)?.with_half_floats(&|id| half_floats.contains(&id));
        let filter = match bound {
            BoundExpr::True => None,
            expr => {
                let columns = Columns::of(table, &known.select(&expr.column_ids())?);
                Some(Filter { expr, columns })
            }
        };
        let mut wanted = HashSet::new();
        let tested = filter.iter().flat_map(|filter| &filter.columns.fields);
        for field in output.fields.iter().chain(tested) {
            add_ids(field, &mut wanted);
        }
        let schema = output.to_arrow(table).context("path", table.manifest_location()).map(Arc::new)?;
        Ok(Self { plan: table.plan()?, table: table.clone(), output, schema, filter, wanted })
    }

    /// The table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The fragments.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The Arrow schema of the rows.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The filter, bound to the columns.
    pub fn bound_filter(&self) -> &BoundExpr {
        self.filter.as_ref().map_or(&BoundExpr::True, |filter| &filter.expr)
    }

    pub(super) fn filter(&self) -> Option<&Filter> {
        self.filter.as_ref()
    }

    pub(super) fn output(&self) -> &Columns {
        &self.output
    }

    /// The ids of all fields that are read of data files.
    pub(super) fn wanted(&self) -> &HashSet<i32> {
        &self.wanted
    }

    /// Does the output, or the filter, have a column that rows have by themselves?
    pub(super) fn reads(&self, column: RowColumn) -> bool {
        let tested = self.filter.iter().flat_map(|filter| &filter.columns.of_rows);
        self.output.of_rows.iter().chain(tested).any(|read| *read == column)
    }

    /// Errors: `Unsupported` for blobs in files of their own, which cannot be read.
    pub(super) fn check_readable(&self) -> Result<()> {
        let tested = self.filter.iter().flat_map(|filter| &filter.columns.fields);
        match self.output.fields.iter().chain(tested).find(|field| has_blob_v2(field)) {
            None => Ok(()),
            Some(field) => Err(Error::unsupported(format!(
                "the column {:?} has blobs of version 2 (`lance.blob.v2`), which cannot be read yet: select other columns",
                field.name
            ))),
        }
    }
}

impl Columns {
    /// The columns of a part of the schema.
    fn of(table: &Table, part: &CoreSchema) -> Self {
        let mut columns = Self::default();
        for field in part.fields() {
            if let Some(column) = RowColumn::of_id(field.id) {
                columns.of_rows.push(column);
            } else if let Some(own) = table.schema().fields().iter().find(|own| own.id == field.id) {
                columns.fields.push(narrowed(own, field));
            }
        }
        columns
    }

    fn to_arrow(&self, table: &Table) -> Result<ArrowSchema> {
        let own = self.fields.iter().map(|field| field.to_arrow().context("column", &field.name));
        let of_rows = self.of_rows.iter().map(|column| Ok(column.to_arrow()));
        let fields = own.chain(of_rows).collect::<Result<Vec<_>>>()?;
        let metadata: arrow_schema::Metadata = table.schema().metadata().iter().cloned().collect();
        Ok(ArrowSchema::new(fields).with_metadata(metadata))
    }
}

/// The columns of a table, and those that rows have by themselves.
fn with_row_columns(table: &Table) -> Result<CoreSchema> {
    let declared = table.schema().to_core()?;
    let of_rows = RowColumn::ALL.into_iter().filter(|column| table.schema().column(column.name()).is_none());
    let fields = declared.fields().iter().cloned().chain(of_rows.map(RowColumn::to_core));
    CoreSchema::new(0, fields.collect())
}

fn projected(
    table: &Table,
    known: &CoreSchema,
    selected: Option<&[String]>,
    case_sensitive: bool,
) -> Result<CoreSchema> {
    let all = || table.schema().fields().iter().map(|field| field.id);
    let Some(names) = selected else { return known.select(&all().collect::<Vec<_>>()) };
    let mut ids = Vec::new();
    for name in names {
        match name.as_str() {
            "*" => ids.extend(all()),
            name => ids.push(known.find(name, case_sensitive)?),
        }
    }
    known.select(&ids)
}

/// A field with the parts that its like has.
fn narrowed(field: &Field, like: &CoreField) -> Field {
    let below = |children: Vec<Field>| Field { children, ..field.clone() };
    match (&like.field_type, field.children.as_slice()) {
        (Type::Struct(parts), children) => below(
            parts
                .fields
                .iter()
                .filter_map(|part| Some(narrowed(children.iter().find(|child| child.id == part.id)?, part)))
                .collect(),
        ),
        (Type::List(list), [element]) => below(vec![narrowed(element, &list.element)]),
        (Type::Map(map), [entries]) => match entries.children.as_slice() {
            [key, value] => below(vec![Field {
                children: vec![narrowed(key, &map.key), narrowed(value, &map.value)],
                ..entries.clone()
            }]),
            _ => field.clone(),
        },
        _ => field.clone(),
    }
}

fn add_ids(field: &Field, ids: &mut HashSet<i32>) {
    ids.insert(field.id);
    field.children.iter().for_each(|child| add_ids(child, ids));
}

fn add_half_floats(field: &Field, ids: &mut HashSet<i32>) {
    if field.logical_type == "halffloat" {
        ids.insert(field.id);
    }
    field.children.iter().for_each(|child| add_half_floats(child, ids));
}

pub(crate) fn has_blob_v2(field: &Field) -> bool {
    field.extension_name() == Some("lance.blob.v2") || field.children.iter().any(has_blob_v2)
}
