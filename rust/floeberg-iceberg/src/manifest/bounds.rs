//! Which counts and bounds does a file have for its columns?
//!
//! Spec: Field-level Metrics and Statistics; Schema Evolution (bounds keep their old type's length).
//!
//! Invariant: statistics that cannot be decoded or trusted are unknown, never an answer.

use arrow_array::{Array, BinaryArray, Int64Array};
use floeberg_core::expr::{ColumnStats, Share, Stats, StatsColumn, StatsColumns, VariantField};
use floeberg_core::schema::reserved::{FILE, SPEC_ID, is_requested};
use floeberg_core::schema::{PrimitiveType, Type};
use floeberg_core::value::{Value, single_value};
use floeberg_core::variant::field_bounds;

use super::untrusted::UntrustedColumns;
use crate::manifest::{EntryStatistics, ManifestEntries};

/// The counts and bounds of one entry of a manifest, by field id.
pub(crate) struct EntryStats<'a> {
    /// The entries.
    pub entries: &'a ManifestEntries,
    /// Which of them.
    pub row: usize,
    /// The columns without usable statistics.
    pub untrusted: &'a UntrustedColumns,
}

impl Stats for EntryStats<'_> {
    fn column(&self, id: i32, field_type: &Type) -> ColumnStats {
        if is_requested(id) {
            return self.metadata_column(id);
        }
        if self.untrusted.contains(id) {
            return ColumnStats::default();
        }
        let Some(written) = WrittenColumn::find(self.entries, id, field_type) else {
            return ColumnStats::default();
        };
        let (nulls, nans) = (written.nulls(self.row), written.nans(self.row));
        let (lower, upper) = decode_pair(field_type, written.lower(self.row), written.upper(self.row));
        ColumnStats { nulls, nans, lower, upper }
    }

    fn variant_field(&self, field: &VariantField) -> ColumnStats {
        let id = field.column.id;
        if self.untrusted.contains(id) {
            return ColumnStats::default();
        }
        let Some(written) = WrittenColumn::find(self.entries, id, &field.column.field_type) else {
            return ColumnStats::default();
        };
        let bounds = (written.lower(self.row), written.upper(self.row));
        let [lower, upper] = field_bounds(bounds.0, bounds.1, &field.path, &field.primitive);
        ColumnStats { lower, upper, ..ColumnStats::default() }
    }
}

/// The counts and bounds of all entries of a block, by field id.
pub(crate) struct BlockStats<'a> {
    /// The entries.
    pub entries: &'a ManifestEntries,
    /// The columns without usable statistics.
    pub untrusted: &'a UntrustedColumns,
}

impl<'e> StatsColumns for BlockStats<'e> {
    type Column<'a>
        = WrittenColumn<'e>
    where
        Self: 'a;

    fn column(&self, id: i32, field_type: &Type) -> Option<WrittenColumn<'e>> {
        let is_each_its_own = is_requested(id) || !has_order(field_type) || self.untrusted.contains(id);
        if is_each_its_own { None } else { WrittenColumn::find(self.entries, id, field_type) }
    }

    fn set(&self, number: usize) -> impl Stats + '_ {
        EntryStats { entries: self.entries, row: number, untrusted: self.untrusted }
    }
}

/// The counts and bounds of one column, as written.
pub(crate) struct WrittenColumn<'a> {
    statistics: &'a EntryStatistics,
    record_count: &'a Int64Array,
    is_float: bool,
}

impl<'a> WrittenColumn<'a> {
    fn find(entries: &'a ManifestEntries, id: i32, field_type: &Type) -> Option<Self> {
        let is_float = matches!(field_type, Type::Primitive(PrimitiveType::Float | PrimitiveType::Double));
        let statistics = entries.statistics.get(&id)?;
        Some(Self { statistics, record_count: &entries.record_count, is_float })
    }
}

impl StatsColumn for WrittenColumn<'_> {
    #[inline]
    fn nulls(&self, number: usize) -> Share {
        let nulls_counted = count(&self.statistics.null_value_count, number);
        let values = count(&self.statistics.value_count, number);
        nulls(nulls_counted, values, self.record_count.value(number))
    }

    #[inline]
    fn nans(&self, number: usize) -> Share {
        if !self.is_float {
            return Share::None;
        }
        let values = count(&self.statistics.value_count, number);
        let rows = self.record_count.value(number);
        share(count(&self.statistics.nan_value_count, number), values.map(|values| values.max(rows)))
    }

    #[inline]
    fn lower(&self, number: usize) -> Option<&[u8]> {
        bytes(&self.statistics.lower_bound, number)
    }

    #[inline]
    fn upper(&self, number: usize) -> Option<&[u8]> {
        bytes(&self.statistics.upper_bound, number)
    }
}

impl EntryStats<'_> {
    /// The value of a metadata column that the entry itself gives. Statistics of stored lineage describe the stored values, not the
    /// values that replace its nulls.
    fn metadata_column(&self, id: i32) -> ColumnStats {
        let value = match id {
            FILE => Value::String(self.entries.file_path.value(self.row).to_owned()),
            SPEC_ID => Value::Int(self.entries.spec_id),
            _ => return ColumnStats::default(),
        };
        ColumnStats { nulls: Share::None, nans: Share::None, lower: Some(value.clone()), upper: Some(value) }
    }
}

/// Decodes two bounds. A uuid's are unknown unless they are equal: some writers order uuids as two signed longs. Bounds of
/// geometries and geographies are corners of a box, which cannot be compared as bytes.
pub(crate) fn decode_pair(
    field_type: &Type,
    lower: Option<&[u8]>,
    upper: Option<&[u8]>,
) -> (Option<Value>, Option<Value>) {
    let Type::Primitive(primitive) = field_type else { return (None, None) };
    let is_certain = *primitive == PrimitiveType::Uuid && lower == upper;
    if !has_order(field_type) && !is_certain {
        return (None, None);
    }
    let decode = |bytes: &[u8]| single_value::from_bytes(primitive, bytes).ok();
    (lower.and_then(decode), upper.and_then(decode))
}

/// Are the bounds of a type in the order of its values, with every writer?
fn has_order(field_type: &Type) -> bool {
    use PrimitiveType as P;
    match field_type {
        Type::Primitive(primitive) => {
            !matches!(primitive, P::Uuid | P::Geometry { .. } | P::Geography { .. })
        }
        _ => false,
    }
}

fn count(counts: &Int64Array, row: usize) -> Option<i64> {
    counts.is_valid(row).then(|| counts.value(row)).filter(|count| *count >= 0)
}

fn bytes(bounds: &BinaryArray, row: usize) -> Option<&[u8]> {
    bounds.is_valid(row).then(|| bounds.value(row))
}

/// For a field in a struct, some writers count only rows whose struct is not null. In the other rows the field is null too.
pub(super) fn nulls(nulls: Option<i64>, values: Option<i64>, rows: i64) -> Share {
    match (nulls, values) {
        (Some(nulls), Some(values)) if values < rows && nulls == values => Share::All,
        (Some(_), Some(values)) if values < rows => Share::Some,
        _ => share(nulls, values),
    }
}

fn share(with: Option<i64>, of: Option<i64>) -> Share {
    match (with, of) {
        (None, _) => Share::Unknown,
        (Some(0), _) => Share::None,
        (Some(with), Some(of)) if with == of => Share::All,
        (Some(_), _) => Share::Some,
    }
}
