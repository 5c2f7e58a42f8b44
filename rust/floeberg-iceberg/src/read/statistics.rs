//! What do a file's statistics say of its row groups?
//!
//! In: the footer and the columns of a filter. Out: counts and bounds, as the table's types have them.
//! Spec: Appendix A, Parquet; Scan Planning.
//!
//! Invariant: a bound is given only where the order it was made by is the table's order. What cannot be trusted or
//! converted is unknown.

use std::collections::BTreeMap;

use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, cast::AsArray};
use arrow_schema::{DataType, Field};
use floeberg_core::expr::{BoundColumn, BoundExpr, ColumnStats, Share, Stats};
use floeberg_core::schema::Type;
use floeberg_core::schema::arrow::type_to_arrow;
use floeberg_core::value::arrow::from_array;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::basic::{ColumnOrder, Type as Physical};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;

use super::file::{FileField, OpenFile, fence};
use super::project::cast;

/// Statistics of the columns of a filter, a row for each row group.
#[derive(Debug, Default)]
pub(super) struct GroupStatistics {
    columns: BTreeMap<i32, ColumnBounds>,
}

/// Statistics of a column, a row for each row group.
#[derive(Debug)]
struct ColumnBounds {
    rows: Vec<u64>,
    nulls: Vec<Option<u64>>,
    nans: Vec<Option<u64>>,
    /// Of the table's type; null is unknown.
    bounds: Option<(ArrayRef, ArrayRef)>,
}

/// One row of [`GroupStatistics`].
pub(super) struct OneGroup<'a> {
    statistics: &'a GroupStatistics,
    number: usize,
}

impl GroupStatistics {
    /// The statistics of all columns that a filter tests.
    pub(super) fn new(file: &OpenFile, filter: &BoundExpr) -> Self {
        let mut columns = BTreeMap::new();
        visit(filter, &mut |column| {
            if !columns.contains_key(&column.id)
                && let Some(leaf) = find(&file.fields.fields, &column.path)
                && let Some(bounds) = column_bounds(file, leaf, &column.field_type)
            {
                columns.insert(column.id, bounds);
            }
        });
        Self { columns }
    }

    /// What is known of a row group.
    pub(super) fn group(&self, number: usize) -> OneGroup<'_> {
        OneGroup { statistics: self, number }
    }
}

impl Stats for OneGroup<'_> {
    fn column(&self, id: i32, field_type: &Type) -> ColumnStats {
        let Some(column) = self.statistics.columns.get(&id) else { return ColumnStats::default() };
        let rows = column.rows.get(self.number).copied().unwrap_or(0);
        let share = |counts: &[Option<u64>]| match counts.get(self.number).copied().flatten() {
            None => Share::Unknown,
            Some(0) => Share::None,
            Some(count) if count == rows => Share::All,
            Some(_) => Share::Some,
        };
        let bound = |array: &ArrayRef| from_array(array.as_ref(), self.number, field_type).ok().flatten();
        let (lower, upper) = match &column.bounds {
            Some((lower, upper)) => (bound(lower), bound(upper)),
            None => (None, None),
        };
        ColumnStats { nulls: share(&column.nulls), nans: share(&column.nans), lower, upper }
    }
}

/// Calls a function with every column that a filter tests.
fn visit(filter: &BoundExpr, call: &mut dyn FnMut(&BoundColumn)) {
    match filter {
        BoundExpr::True | BoundExpr::False => {}
        BoundExpr::And(children) | BoundExpr::Or(children) => {
            for child in children {
                visit(child, call);
            }
        }
        BoundExpr::Predicate(predicate) => call(&predicate.column),
    }
}

/// The primitive column at a path of ids through structs.
fn find<'a>(fields: &'a [FileField], path: &[i32]) -> Option<&'a FileField> {
    let (id, rest) = path.split_first()?;
    let field = fields.iter().find(|field| field.id == Some(*id))?;
    match (&field.data_type, rest) {
        (DataType::Struct(_), [_, ..]) => find(&field.children, rest),
        (_, []) if field.children.is_empty() => Some(field),
        _ => None,
    }
}

fn column_bounds(file: &OpenFile, leaf: &FileField, field_type: &Type) -> Option<ColumnBounds> {
    let target = type_to_arrow(field_type).ok()?;
    let groups = file.metadata().row_groups();
    let field = Field::new("", leaf.data_type.clone(), true);
    let column = leaf.leaves.start;
    let read = || {
        let converter = StatisticsConverter::from_column_index(column, &field, file.reader.parquet_schema())?
            .with_missing_null_counts_as_zero(false);
        let nulls = converter.row_group_null_counts(groups)?.iter().collect::<Vec<_>>();
        let nans = converter.row_group_nan_counts(groups)?.iter().collect::<Vec<_>>();
        let bounds = (converter.row_group_mins(groups)?, converter.row_group_maxes(groups)?);
        Ok::<_, ParquetError>((nulls, nans, bounds))
    };
    let (nulls, nans, (lower, upper)) = fence(file.location(), read).ok()?;
    let trusted =
        groups.iter().all(|group| is_ordered(file, group, leaf)) && !has_nan(&lower) && !has_nan(&upper);
    let bounds = trusted.then(|| cast_bounds(&lower, &upper, &target)).flatten();
    let is_float = matches!(leaf.data_type, DataType::Float16 | DataType::Float32 | DataType::Float64);
    let none = vec![Some(0); groups.len()];
    Some(ColumnBounds {
        rows: groups.iter().map(|group| u64::try_from(group.num_rows()).unwrap_or(0)).collect(),
        nulls,
        nans: if is_float { nans } else { none },
        bounds,
    })
}

fn cast_bounds(lower: &ArrayRef, upper: &ArrayRef, target: &DataType) -> Option<(ArrayRef, ArrayRef)> {
    Some((cast(lower, target, "").ok()?, cast(upper, target, "").ok()?))
}

/// Were the bounds of a row group made by an order that is known?
///
/// Old writers compared bytes as signed ones and said nothing of an order; for numbers that made no difference.
fn is_ordered(file: &OpenFile, group: &RowGroupMetaData, leaf: &FileField) -> bool {
    let column = leaf.leaves.start;
    let Some(statistics) = group.column(column).statistics() else { return true };
    let is_unsigned =
        matches!(leaf.data_type, DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64);
    match file.reader.parquet_schema().column(column).physical_type() {
        Physical::INT96 => false,
        _ if leaf.data_type == DataType::Float16 => false,
        Physical::BOOLEAN | Physical::INT32 | Physical::INT64 | Physical::FLOAT | Physical::DOUBLE
            if !is_unsigned =>
        {
            true
        }
        _ => {
            let order = file.metadata().file_metadata().column_order(column);
            !statistics.is_min_max_deprecated() && order != ColumnOrder::UNDEFINED
        }
    }
}

fn has_nan(bounds: &ArrayRef) -> bool {
    match bounds.data_type() {
        DataType::Float32 => bounds.as_primitive::<Float32Type>().iter().flatten().any(f32::is_nan),
        DataType::Float64 => bounds.as_primitive::<Float64Type>().iter().flatten().any(f64::is_nan),
        _ => false,
    }
}
