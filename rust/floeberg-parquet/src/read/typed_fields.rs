//! Which bounds have the fields of shredded variants in row groups and pages?
//!
//! In: the footer, the page index and the fields that a filter tests. Out: bounds, in the types that the filter asks for.
//! Spec: Parquet `VariantShredding.md`, Objects.
//!
//! Invariant: bounds of a typed column count only where all values of the field are in it. An object always has its shredded fields in
//! their columns, so that the columns of parents need no look.

use floeberg_core::expr::{BoundExpr, ColumnStats, Implied, Share, VariantField};
use floeberg_core::schema::{PrimitiveType, Type};
use floeberg_core::value::Value;
use floeberg_core::variant::{primitive_of_column, value_in_type};
use floeberg_files::{FileField, RowPredicate};

use super::ParquetFile;
use super::statistics::{ColumnBounds, column_bounds, group_at, pages_of};

/// What distinguishes the fields of a filter.
pub(super) type FieldKey = (i32, String, String);

/// Bounds of a field, a row for each row group or page.
#[derive(Debug)]
pub(super) struct FieldBounds {
    /// Of the typed column.
    typed: ColumnBounds,
    /// The type of the values in the typed column.
    stored: PrimitiveType,
    field: FileField,
    /// In which of them are all values in the typed column? One answer for all pages of a row group.
    is_whole: Vec<bool>,
}

impl FieldBounds {
    /// Of each row group; `None` if the field is not shredded as values of one type.
    pub(super) fn of_groups(
        file: &ParquetFile,
        predicate: &RowPredicate,
        field: &VariantField,
    ) -> Option<Self> {
        let (typed, value) = place(file, predicate, field)?;
        let stored = primitive_of_column(&typed.data_type)?;
        let bounds = column_bounds(file, typed, &Type::Primitive(stored.clone()))?;
        let groups = bounds.rows().len();
        let is_whole = match value {
            None => vec![true; groups],
            Some(value) => {
                let others = column_bounds(file, value, &Type::Primitive(PrimitiveType::Binary))?;
                (0..groups).map(|group| has_no_value(&others, group)).collect()
            }
        };
        Some(Self { typed: bounds, stored, field: typed.clone(), is_whole })
    }

    /// Of the pages of a row group.
    pub(super) fn of_pages(
        file: &ParquetFile,
        predicate: &RowPredicate,
        field: &VariantField,
        group: usize,
    ) -> Option<Self> {
        let (typed, value) = place(file, predicate, field)?;
        let stored = primitive_of_column(&typed.data_type)?;
        if let Some(value) = value {
            let others = column_bounds(file, value, &Type::Primitive(PrimitiveType::Binary))?;
            has_no_value(&others, group).then_some(())?;
        }
        let pages = pages_of(file, typed, &Type::Primitive(stored.clone()), group)?;
        let is_whole = vec![true; pages.rows().len()];
        Some(Self { typed: pages, stored, field: typed.clone(), is_whole })
    }

    /// The rows of each row group or page.
    pub(super) fn rows(&self) -> &[u64] {
        self.typed.rows()
    }

    /// What is known of a row group or page, in the type of a test. A null of the typed column may be any null.
    pub(super) fn stats(&self, number: usize, wanted: &PrimitiveType) -> ColumnStats {
        if !self.is_whole.get(number).copied().unwrap_or(false) {
            return ColumnStats::default();
        }
        let found = self.typed.stats(number, &Type::Primitive(self.stored.clone()));
        let bound = |bound: Option<Value>| value_in_type(&bound?, &self.field.data_type, wanted);
        let nulls = if found.nulls == Share::All { Share::All } else { Share::Unknown };
        ColumnStats { nulls, nans: Share::Unknown, lower: bound(found.lower), upper: bound(found.upper) }
    }
}

/// Has a column of values, of other types than the typed column's, nothing but variant's null?
fn has_no_value(values: &ColumnBounds, group: usize) -> bool {
    let stats = values.stats(group, &Type::Primitive(PrimitiveType::Binary));
    let is_null = |bound: &Option<Value>| matches!(bound, Some(Value::Binary(bytes)) if bytes == &[0]);
    stats.nulls == Share::All || is_null(&stats.lower) && is_null(&stats.upper)
}

/// The columns `typed_value`, of values without parts, and `value` of a field.
fn place<'a>(
    file: &'a ParquetFile,
    predicate: &RowPredicate,
    field: &VariantField,
) -> Option<(&'a FileField, Option<&'a FileField>)> {
    let named = |group: &'a FileField, name: &str| {
        let mut found = group.children.iter().filter(move |child| child.name == name);
        let first = found.next();
        first.filter(|_| found.next().is_none())
    };
    let mut group = group_at(file, &field.column)?;
    for name in &field.names {
        // The typed column of a list has one child too.
        let typed = named(group, "typed_value")?;
        group = matches!(typed.data_type, arrow_schema::DataType::Struct(_)).then_some(typed)?;
        group = named(group, name)?;
    }
    let typed = named(group, "typed_value").filter(|typed| typed.children.is_empty())?;
    predicate.leaves().contains(&typed.leaves.start).then_some((typed, named(group, "value")))
}

/// Calls a function with every field of variants whose bounds may decide a filter.
pub(super) fn visit_fields(filter: &BoundExpr, call: &mut dyn FnMut(&VariantField)) {
    match filter {
        BoundExpr::True | BoundExpr::False | BoundExpr::Predicate(_) => {}
        BoundExpr::And(children) | BoundExpr::Or(children) => {
            for child in children {
                visit_fields(child, call);
            }
        }
        BoundExpr::Condition(condition) => {
            for test in condition.implied.iter() {
                match test {
                    Implied::Field(test) => call(&test.field),
                }
            }
        }
    }
}
