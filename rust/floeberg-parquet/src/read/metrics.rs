//! What does a footer say of the columns of a table, whoever wrote it?
//!
//! In: an open file, a table's schema, and which metrics are kept. Out: sizes, counts and bounds by field id, and where row groups
//! start.
//! Spec: Data File Fields (notes 1 and 2 on bounds).
//!
//! Invariant: of a file that this library wrote, they are what its writer said. A bound is left out if a row group does not have
//! one that can be trusted.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use floeberg_core::Result;
use floeberg_core::schema::{Field, PrimitiveType, Schema, Type};
use floeberg_core::value::{Value, ordering, single_value};
use floeberg_files::{
    FileField, FileMetrics, Mode, Modes, field_place, shorter_lower, shorter_upper, signed_zero,
};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};

use super::ParquetFile;
use super::statistics::{ColumnBounds, column_bounds};

/// The metrics of a file. Errors: those of the store; `InvalidData` for two columns of one id.
pub(super) fn described(file: &ParquetFile, schema: &Schema, modes: &Modes) -> Result<FileMetrics> {
    let mut said = Said { file, modes, metrics: FileMetrics::default() };
    said.metrics = FileMetrics {
        record_count: file.metadata().row_groups().iter().map(RowGroupMetaData::num_rows).sum(),
        file_size_in_bytes: i64::try_from(file.source.size()?).unwrap_or(i64::MAX),
        column_sizes: Some(BTreeMap::new()),
        value_counts: Some(BTreeMap::new()),
        null_value_counts: Some(BTreeMap::new()),
        nan_value_counts: Some(BTreeMap::new()),
        lower_bounds: Some(BTreeMap::new()),
        upper_bounds: Some(BTreeMap::new()),
        split_offsets: Some(split_offsets(file.metadata())),
    };
    said.add(schema.fields(), &file.fields.fields, false)?;
    Ok(said.metrics)
}

struct Said<'a> {
    file: &'a ParquetFile,
    modes: &'a Modes,
    metrics: FileMetrics,
}

impl Said<'_> {
    /// Adds the columns of one level, and those below it.
    fn add(&mut self, wanted: &[Field], found: &[FileField], is_repeated: bool) -> Result<()> {
        for field in wanted {
            let Some(place) = field_place(found, field.id)? else { continue };
            let Some(column) = found.get(place) else { continue };
            match &field.field_type {
                Type::Primitive(PrimitiveType::Unknown) | Type::Variant | Type::Unrecognized(_) => {}
                Type::Primitive(primitive) if column.children.is_empty() => {
                    self.add_leaf(field, primitive, column, is_repeated)?;
                }
                Type::Primitive(_) => {}
                Type::Struct(fields) => self.add(&fields.fields, &column.children, is_repeated)?,
                Type::List(_) | Type::Map(_) => {
                    for part in field.field_type.children() {
                        self.add(std::slice::from_ref(part), &column.children, true)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn add_leaf(
        &mut self,
        field: &Field,
        primitive: &PrimitiveType,
        column: &FileField,
        is_repeated: bool,
    ) -> Result<()> {
        let (id, mode) = (field.id, self.modes.of(field.id));
        if mode == Mode::None {
            return Ok(());
        }
        let groups = self.file.metadata().row_groups().iter();
        let sizes = groups.filter_map(|group| group.columns().get(column.leaves.start));
        let size: i64 = sizes.map(ColumnChunkMetaData::compressed_size).sum();
        let put = |counts: &mut Option<BTreeMap<i32, i64>>, count| {
            counts.get_or_insert_default().insert(id, count);
        };
        put(&mut self.metrics.column_sizes, size);
        if is_repeated {
            return Ok(());
        }
        let Some(statistics) = column_bounds(self.file, column, &field.field_type) else { return Ok(()) };
        let Some(nulls) = sum(statistics.nulls().iter().copied()) else { return Ok(()) };
        put(&mut self.metrics.value_counts, self.metrics.record_count);
        put(&mut self.metrics.null_value_counts, nulls);
        if let (PrimitiveType::Float | PrimitiveType::Double, Some(nans)) = (primitive, nans(&statistics)) {
            put(&mut self.metrics.nan_value_counts, nans);
        }
        let Some((lower, upper)) = bounds(&statistics, field, primitive, mode) else { return Ok(()) };
        let sides = [(lower, &mut self.metrics.lower_bounds), (upper, &mut self.metrics.upper_bounds)];
        for (bound, said) in sides {
            if let Some(bound) = bound {
                said.get_or_insert_default().insert(id, single_value::to_bytes(&bound)?);
            }
        }
        Ok(())
    }
}

fn sum(counts: impl Iterator<Item = Option<u64>>) -> Option<i64> {
    let mut sum = 0_i64;
    for count in counts {
        sum = sum.checked_add(i64::try_from(count?).ok()?)?;
    }
    Some(sum)
}

/// Without values, NaNs are not counted.
fn nans(statistics: &ColumnBounds) -> Option<i64> {
    let groups = statistics.nans().iter().zip(statistics.nulls()).zip(statistics.rows());
    sum(groups.map(|((nans, nulls), rows)| if *nulls == Some(*rows) { Some(0) } else { *nans }))
}

/// The bounds of the whole file, as short as the mode asks for. `None` if they are not wanted or not known.
fn bounds(
    statistics: &ColumnBounds,
    field: &Field,
    primitive: &PrimitiveType,
    mode: Mode,
) -> Option<(Option<Value>, Option<Value>)> {
    use PrimitiveType as P;
    let length = match mode {
        Mode::None | Mode::Counts => return None,
        Mode::Truncate(length) => length,
        Mode::Full => u32::MAX,
    };
    if matches!(primitive, P::Geometry { .. } | P::Geography { .. } | P::Unknown) {
        return None;
    }
    let mut least: Option<Value> = None;
    let mut most: Option<Value> = None;
    for group in 0..statistics.rows().len() {
        if has_no_value(statistics, group) {
            continue;
        }
        let found = statistics.stats(group, &field.field_type);
        let (lower, upper) = (found.lower?, found.upper?);
        ordering::compare(&lower, &upper)?;
        if least.as_ref().is_none_or(|least| ordering::compare(&lower, least) == Some(Ordering::Less)) {
            least = Some(lower);
        }
        if most.as_ref().is_none_or(|most| ordering::compare(&upper, most) == Some(Ordering::Greater)) {
            most = Some(upper);
        }
    }
    let lower = least.map(|value| shorter_lower(signed_zero(value, -1.0), length));
    let upper = most.and_then(|value| shorter_upper(signed_zero(value, 1.0), length));
    Some((lower, upper))
}

/// Is a row group empty, or are its values nulls and NaNs?
fn has_no_value(statistics: &ColumnBounds, group: usize) -> bool {
    let at = |counts: &[Option<u64>]| counts.get(group).copied().flatten().unwrap_or(0);
    let rows = statistics.rows().get(group).copied().unwrap_or(0);
    at(statistics.nulls()).saturating_add(at(statistics.nans())) >= rows
}

/// Where row groups start: at the first page of the first column, be it a dictionary.
pub(crate) fn split_offsets(metadata: &ParquetMetaData) -> Vec<i64> {
    let first = |group: &RowGroupMetaData| {
        let column = group.columns().first()?;
        Some(column.dictionary_page_offset().unwrap_or(column.data_page_offset()))
    };
    metadata.row_groups().iter().filter_map(first).collect()
}
