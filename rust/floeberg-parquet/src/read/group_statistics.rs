//! Which statistics of row groups may decide a filter?
//!
//! In: the footer and a filter. Out: counts and bounds of its columns, and bounds of its fields of variants, by row group.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::expr::{BoundColumn, BoundExpr, ColumnStats, Stats, VariantField};
use floeberg_core::schema::Type;
use floeberg_files::RowPredicate;

use super::ParquetFile;
use super::statistics::{ColumnBounds, column_bounds, column_of};
use super::typed_fields::{FieldBounds, FieldKey, visit_fields};

/// Statistics of the columns of a filter, a row for each row group.
#[derive(Debug, Default)]
pub(super) struct GroupStatistics {
    columns: BTreeMap<i32, ColumnBounds>,
    fields: BTreeMap<FieldKey, FieldBounds>,
}

/// One row of [`GroupStatistics`].
pub(super) struct OneGroup<'a> {
    statistics: &'a GroupStatistics,
    number: usize,
}

impl GroupStatistics {
    /// The statistics of all columns that a filter tests.
    pub(super) fn new(file: &ParquetFile, predicate: &RowPredicate) -> Self {
        let mut columns = BTreeMap::new();
        visit(&predicate.expr, &mut |column| {
            if !columns.contains_key(&column.id)
                && let Some(leaf) = column_of(file, predicate, column)
                && let Some(bounds) = column_bounds(file, leaf, &column.field_type)
            {
                columns.insert(column.id, bounds);
            }
        });
        let mut fields = BTreeMap::new();
        visit_fields(&predicate.expr, &mut |field| {
            if let Some(bounds) = FieldBounds::of_groups(file, predicate, field) {
                fields.insert(field.key(), bounds);
            }
        });
        Self { columns, fields }
    }

    /// The statistics of a row group.
    pub(super) fn group(&self, number: usize) -> OneGroup<'_> {
        OneGroup { statistics: self, number }
    }
}

impl Stats for OneGroup<'_> {
    fn column(&self, id: i32, field_type: &Type) -> ColumnStats {
        let column = self.statistics.columns.get(&id);
        column.map(|column| column.stats(self.number, field_type)).unwrap_or_default()
    }

    fn variant_field(&self, field: &VariantField) -> ColumnStats {
        let found = self.statistics.fields.get(&field.key());
        found.map(|bounds| bounds.stats(self.number, &field.primitive)).unwrap_or_default()
    }
}

/// Calls a function with every column whose statistics may decide a test.
pub(super) fn visit(filter: &BoundExpr, call: &mut dyn FnMut(&Arc<BoundColumn>)) {
    match filter {
        BoundExpr::True | BoundExpr::False | BoundExpr::Condition(_) => {}
        BoundExpr::And(children) | BoundExpr::Or(children) => {
            for child in children {
                visit(child, call);
            }
        }
        BoundExpr::Predicate(predicate) => call(&predicate.column),
    }
}
