//! Which metrics does the footer of a Parquet file give?
//!
//! In: the metadata of a file that was written. Out: sizes, counts and bounds by field id, and where its row groups start.
//! Spec: Data File Fields (notes 1 and 2 on bounds); Bounds for Variant.
//!
//! Invariant: a bound is left out if a row group does not have one. NaN is never a bound, and a zero has the sign that bounds both
//! zeros.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use floeberg_core::Result;
use floeberg_core::schema::PrimitiveType;
use floeberg_core::value::{Value, ordering, single_value};
use floeberg_core::variant::Bounds as VariantBounds;
use floeberg_files::{FileMetrics, Mode, shorter_lower, shorter_upper, signed_zero};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::statistics::Statistics;

use super::layout::ParquetLayout;
use super::leaf::{Leaf, TypedLeaf};
use super::shredding::Shreddings;
use crate::read::split_offsets;

/// The metrics of a file of this size in bytes, from its metadata.
pub(super) fn describe(
    metadata: &ParquetMetaData,
    layout: &ParquetLayout,
    shreddings: &Shreddings,
    file_size_in_bytes: i64,
) -> Result<FileMetrics> {
    let mut said = Said::default();
    for (position, leaf) in layout.leaves.iter().enumerate() {
        let chunks = metadata.row_groups().iter().filter_map(|group| group.columns().get(position));
        let (id, primitive) = match leaf {
            Leaf::Single(id, primitive) => (*id, Some(primitive)),
            Leaf::Repeated(id) | Leaf::VariantMetadata(id) => (*id, None),
            Leaf::Typed(leaf) => {
                if shreddings.is_uniform(leaf) {
                    said.add_field(leaf, bounds(chunks, &leaf.primitive, layout.modes.of(leaf.id)))?;
                }
                continue;
            }
            Leaf::Silent => continue,
        };
        let mode = layout.modes.of(id);
        if mode == Mode::None {
            continue;
        }
        if !matches!(leaf, Leaf::VariantMetadata(_)) {
            said.sizes.insert(id, chunks.clone().map(ColumnChunkMetaData::compressed_size).sum());
        }
        if matches!(leaf, Leaf::Repeated(_)) {
            continue;
        }
        let Some(counts) = counts(chunks.clone()) else { continue };
        said.values.insert(id, counts.values);
        said.nulls.insert(id, counts.nulls);
        let Some(primitive) = primitive else { continue };
        if let (PrimitiveType::Float | PrimitiveType::Double, Some(nans)) = (primitive, counts.nans) {
            said.nans.insert(id, nans);
        }
        if let Some((lower, upper)) = bounds(chunks, primitive, mode) {
            if let Some(lower) = lower {
                said.lower.insert(id, single_value::to_bytes(&lower)?);
            }
            if let Some(upper) = upper {
                said.upper.insert(id, single_value::to_bytes(&upper)?);
            }
        }
    }
    said.add_variants()?;
    Ok(FileMetrics {
        record_count: metadata.file_metadata().num_rows(),
        file_size_in_bytes,
        column_sizes: Some(said.sizes),
        value_counts: Some(said.values),
        null_value_counts: Some(said.nulls),
        nan_value_counts: Some(said.nans),
        lower_bounds: Some(said.lower),
        upper_bounds: Some(said.upper),
        split_offsets: Some(split_offsets(metadata)),
    })
}

#[derive(Default)]
struct Said {
    sizes: BTreeMap<i32, i64>,
    values: BTreeMap<i32, i64>,
    nulls: BTreeMap<i32, i64>,
    nans: BTreeMap<i32, i64>,
    lower: BTreeMap<i32, Vec<u8>>,
    upper: BTreeMap<i32, Vec<u8>>,
    lower_of_fields: BTreeMap<i32, VariantBounds>,
    upper_of_fields: BTreeMap<i32, VariantBounds>,
}

impl Said {
    /// Adds the metrics of a shredded field of variants.
    fn add_field(&mut self, leaf: &TypedLeaf, bounds: Option<(Option<Value>, Option<Value>)>) -> Result<()> {
        let Some((lower, upper)) = bounds else { return Ok(()) };
        for (bound, said) in [(lower, &mut self.lower_of_fields), (upper, &mut self.upper_of_fields)] {
            if let Some(bound) = bound {
                said.entry(leaf.id).or_default().insert(&leaf.path, &leaf.column, &bound)?;
            }
        }
        Ok(())
    }

    /// Builds the bounds of variants from the bounds of their fields.
    fn add_variants(&mut self) -> Result<()> {
        let bounds = [(&self.lower_of_fields, &mut self.lower), (&self.upper_of_fields, &mut self.upper)];
        for (of_fields, said) in bounds {
            for (id, fields) in of_fields {
                said.insert(*id, fields.to_bytes()?);
            }
        }
        Ok(())
    }
}

struct Counts {
    values: i64,
    nulls: i64,
    nans: Option<i64>,
}

/// The counts of a column; `None` if a row group does not have them.
fn counts<'a>(chunks: impl Iterator<Item = &'a ColumnChunkMetaData>) -> Option<Counts> {
    let mut sum = Counts { values: 0, nulls: 0, nans: Some(0) };
    for chunk in chunks {
        let statistics = chunk.statistics()?;
        let nulls = statistics.null_count_opt()? as i64;
        sum.values += chunk.num_values();
        sum.nulls += nulls;
        // Without values, NaNs are not counted.
        let nans = if nulls == chunk.num_values() { Some(0) } else { statistics.nan_count_opt() };
        sum.nans = sum.nans.zip(nans).map(|(sum, nans)| sum + nans as i64);
    }
    Some(sum)
}

/// The whole bounds, truncated. `None` if they are not wanted or not known.
fn bounds<'a>(
    chunks: impl Iterator<Item = &'a ColumnChunkMetaData>,
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
    for chunk in chunks {
        let statistics = chunk.statistics()?;
        let nans = statistics.nan_count_opt().unwrap_or(0);
        if statistics.null_count_opt()?.saturating_add(nans) as i64 >= chunk.num_values() {
            continue;
        }
        let (lower, upper) = (statistics.min_bytes_opt()?, statistics.max_bytes_opt()?);
        let (lower, upper) =
            (stored_value(lower, primitive, statistics)?, stored_value(upper, primitive, statistics)?);
        // Values without an order are NaN.
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

/// A value of the statistics of a file; `None` if it is not of the type.
fn stored_value(bytes: &[u8], primitive: &PrimitiveType, statistics: &Statistics) -> Option<Value> {
    let scale = match primitive {
        PrimitiveType::Decimal { scale, .. } => scale,
        // The library truncates long values as it truncates strings. Padded with zeros they have the type's length, and are still bounds.
        PrimitiveType::Fixed(length) => {
            let mut whole = bytes.to_vec();
            whole.resize(bytes.len().max(*length as usize), 0);
            return single_value::from_bytes(primitive, &whole).ok();
        }
        _ => return single_value::from_bytes(primitive, bytes).ok(),
    };
    let unscaled = match statistics {
        Statistics::Int32(_) => i128::from(i32::from_le_bytes(bytes.try_into().ok()?)),
        Statistics::Int64(_) => i128::from(i64::from_le_bytes(bytes.try_into().ok()?)),
        _ => single_value::unscaled_from_bytes(bytes)?,
    };
    Some(Value::Decimal { unscaled, scale: *scale })
}
