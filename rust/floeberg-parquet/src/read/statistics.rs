//! Which statistics do the row groups and pages of a file have?
//!
//! In: the footer and the columns of a filter. Out: counts and bounds, in the table's types.
//! Spec: Appendix A, Parquet; Scan Planning.
//!
//! Invariant: a bound is used only if it was made in the table's order. Statistics that cannot be trusted or converted are
//! unknown.

use std::sync::Arc;

use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, cast::AsArray};
use arrow_schema::{DataType, Field};
use arrow_select::nullif::nullif;
use floeberg_core::arrow_values::from_array;
use floeberg_core::expr::{BoundColumn, ColumnStats, Share};
use floeberg_core::schema::Type;
use floeberg_core::schema::arrow::type_to_arrow;
use floeberg_files::FileField;
use floeberg_files::RowPredicate;
use floeberg_files::cast;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::basic::{ColumnOrder, Type as Physical};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;

use super::{ParquetFile, fence};

/// Statistics of a column, a row for each row group or page.
#[derive(Debug)]
pub(super) struct ColumnBounds {
    rows: Vec<u64>,
    nulls: Vec<Option<u64>>,
    nans: Vec<Option<u64>>,
    /// Of the table's type; null is unknown.
    bounds: Option<(ArrayRef, ArrayRef)>,
}

impl ColumnBounds {
    /// The statistics of a row group or page.
    pub(super) fn stats(&self, number: usize, field_type: &Type) -> ColumnStats {
        let rows = self.rows.get(number).copied().unwrap_or(0);
        let share = |counts: &[Option<u64>]| match counts.get(number).copied().flatten() {
            None => Share::Unknown,
            Some(0) => Share::None,
            Some(count) if count == rows => Share::All,
            Some(_) => Share::Some,
        };
        let bound = |array: &ArrayRef| from_array(array.as_ref(), number, field_type).ok().flatten();
        let (lower, upper) = match &self.bounds {
            Some((lower, upper)) => (bound(lower), bound(upper)),
            None => (None, None),
        };
        ColumnStats { nulls: share(&self.nulls), nans: share(&self.nans), lower, upper }
    }

    /// The nulls of each row group or page.
    pub(super) fn nulls(&self) -> &[Option<u64>] {
        &self.nulls
    }

    /// The NaNs of each row group or page.
    pub(super) fn nans(&self) -> &[Option<u64>] {
        &self.nans
    }

    /// The rows of each row group or page.
    pub(super) fn rows(&self) -> &[u64] {
        &self.rows
    }

    /// The statistics of the pages of a column in one row group; `None` if the page index does not have them.
    pub(super) fn of_pages(
        file: &ParquetFile,
        predicate: &RowPredicate,
        column: &BoundColumn,
        group: usize,
    ) -> Option<Self> {
        pages_of(file, column_of(file, predicate, column)?, &column.field_type, group)
    }
}

/// The statistics of the pages of a primitive column in one row group; `None` if the page index does not have them.
pub(super) fn pages_of(
    file: &ParquetFile,
    leaf: &FileField,
    field_type: &Type,
    group: usize,
) -> Option<ColumnBounds> {
    let target = type_to_arrow(field_type).ok()?;
    let field = Field::new("", leaf.data_type.clone(), true);
    let read = || {
        let Some(index) = file.metadata().page_index() else { return Ok(None) };
        let index = index.as_ref();
        let groups = file.metadata().row_groups();
        let converter =
            StatisticsConverter::from_column_index(leaf.leaves.start, &field, file.reader.parquet_schema())?;
        let Some(rows) = converter.data_page_row_counts(index, groups, [&group])? else {
            return Ok(None);
        };
        let rows = rows.iter().collect::<Option<Vec<u64>>>();
        let nulls = converter.data_page_null_counts(index, [&group])?.iter().collect();
        let nans = converter.data_page_nan_counts(index, [&group])?.iter().collect();
        let bounds =
            (converter.data_page_mins(index, [&group])?, converter.data_page_maxes(index, [&group])?);
        Ok::<_, ParquetError>(rows.map(|rows| Counts { rows, nulls, nans, bounds }))
    };
    let counts = fence(file.location(), read).ok().flatten()?;
    let expected = u64::try_from(file.metadata().row_group(group).num_rows()).ok()?;
    let pages = counts.rows.len();
    let sum = counts.rows.iter().try_fold(0_u64, |sum, rows| sum.checked_add(*rows));
    let whole = sum == Some(expected) && counts.bounds.0.len() == pages && counts.bounds.1.len() == pages;
    whole.then(|| counts.into_bounds(leaf, has_known_order(file, leaf), &target))
}

/// Statistics of the file, not yet checked.
struct Counts {
    rows: Vec<u64>,
    nulls: Vec<Option<u64>>,
    nans: Vec<Option<u64>>,
    bounds: (ArrayRef, ArrayRef),
}

impl Counts {
    /// Keeps the statistics that can be trusted, converted to the table's type.
    fn into_bounds(self, leaf: &FileField, is_ordered: bool, target: &DataType) -> ColumnBounds {
        let is_float = matches!(leaf.data_type, DataType::Float16 | DataType::Float32 | DataType::Float64);
        let cast_both = || {
            let numbers =
                |bounds: &ArrayRef| if is_float { self.of_numbers(bounds) } else { Some(Arc::clone(bounds)) };
            let (lower, upper) = (numbers(&self.bounds.0)?, numbers(&self.bounds.1)?);
            let trusted = is_ordered && !has_nan(&lower) && !has_nan(&upper);
            if trusted {
                Some((cast(&lower, target, "").ok()?, cast(&upper, target, "").ok()?))
            } else {
                None
            }
        };
        let bounds = cast_both();
        ColumnBounds {
            nans: if is_float { self.nans } else { vec![Some(0); self.rows.len()] },
            bounds,
            rows: self.rows,
            nulls: self.nulls,
        }
    }

    /// Bounds without those of row groups and pages that have NaNs and nulls alone: writers say NaN there.
    fn of_numbers(&self, bounds: &ArrayRef) -> Option<ArrayRef> {
        let counts = self.nulls.iter().zip(&self.nans).zip(&self.rows);
        let has_none = |((nulls, nans), rows): ((&Option<u64>, &Option<u64>), &u64)| match (nulls, nans) {
            (Some(nulls), Some(nans)) => nulls.saturating_add(*nans) >= *rows,
            _ => false,
        };
        let none: BooleanArray = counts.map(has_none).map(Some).collect();
        nullif(bounds.as_ref(), &none).ok()
    }
}

/// The column of the file that a test reads. If a partition value replaces it, the column's statistics do not count.
pub(super) fn column_of<'a>(
    file: &'a ParquetFile,
    predicate: &RowPredicate,
    column: &BoundColumn,
) -> Option<&'a FileField> {
    let leaf = find(&file.fields.fields, &column.path).filter(|field| field.children.is_empty())?;
    predicate.leaves().contains(&leaf.leaves.start).then_some(leaf)
}

/// The group of columns that a column of variants has in the file.
pub(super) fn group_at<'a>(file: &'a ParquetFile, column: &BoundColumn) -> Option<&'a FileField> {
    find(&file.fields.fields, &column.path).filter(|field| matches!(field.data_type, DataType::Struct(_)))
}

/// The column at a path of ids through structs.
fn find<'a>(fields: &'a [FileField], path: &[i32]) -> Option<&'a FileField> {
    let (id, rest) = path.split_first()?;
    let field = fields.iter().find(|field| field.id == Some(*id))?;
    match (&field.data_type, rest) {
        (DataType::Struct(_), [_, ..]) => find(&field.children, rest),
        (_, []) => Some(field),
        _ => None,
    }
}

/// The statistics of a primitive column, a row for each row group; `None` where they cannot be read.
pub(super) fn column_bounds(file: &ParquetFile, leaf: &FileField, field_type: &Type) -> Option<ColumnBounds> {
    let target = type_to_arrow(field_type).ok()?;
    let groups = file.metadata().row_groups();
    let field = Field::new("", leaf.data_type.clone(), true);
    let column = leaf.leaves.start;
    let read = || {
        let converter = StatisticsConverter::from_column_index(column, &field, file.reader.parquet_schema())?
            .with_missing_null_counts_as_zero(false);
        Ok::<_, ParquetError>(Counts {
            rows: groups.iter().map(|group| u64::try_from(group.num_rows()).unwrap_or(0)).collect(),
            nulls: converter.row_group_null_counts(groups)?.iter().collect(),
            nans: converter.row_group_nan_counts(groups)?.iter().collect(),
            bounds: (converter.row_group_mins(groups)?, converter.row_group_maxes(groups)?),
        })
    };
    let counts = fence(file.location(), read).ok()?;
    // Old writers compared bytes as signed and recorded no order; for numbers that made no difference.
    let is_new = |group: &RowGroupMetaData| {
        group.column(column).statistics().is_none_or(|statistics| {
            // Where all values are null there are no bounds, of neither kind.
            let has_none = statistics.min_bytes_opt().is_none() && statistics.max_bytes_opt().is_none();
            has_none || !statistics.is_min_max_deprecated()
        })
    };
    let is_ordered = has_known_order(file, leaf) && (is_signed(file, leaf) || groups.iter().all(is_new));
    Some(counts.into_bounds(leaf, is_ordered, &target))
}

/// Were bounds made in the order of the table?
fn has_known_order(file: &ParquetFile, leaf: &FileField) -> bool {
    let column = leaf.leaves.start;
    let is_int96 = file.reader.parquet_schema().column(column).physical_type() == Physical::INT96;
    let is_excluded = is_int96 || leaf.data_type == DataType::Float16;
    let order = file.metadata().file_metadata().column_order(column);
    !is_excluded && (is_signed(file, leaf) || order != ColumnOrder::UNDEFINED)
}

/// Are the values of a column compared as signed numbers, which all writers did alike?
fn is_signed(file: &ParquetFile, leaf: &FileField) -> bool {
    let physical = file.reader.parquet_schema().column(leaf.leaves.start).physical_type();
    let is_number = matches!(
        physical,
        Physical::BOOLEAN | Physical::INT32 | Physical::INT64 | Physical::FLOAT | Physical::DOUBLE
    );
    let is_unsigned =
        matches!(leaf.data_type, DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64);
    is_number && !is_unsigned
}

fn has_nan(bounds: &ArrayRef) -> bool {
    match bounds.data_type() {
        DataType::Float32 => bounds.as_primitive::<Float32Type>().iter().flatten().any(f32::is_nan),
        DataType::Float64 => bounds.as_primitive::<Float64Type>().iter().flatten().any(f64::is_nan),
        _ => false,
    }
}
