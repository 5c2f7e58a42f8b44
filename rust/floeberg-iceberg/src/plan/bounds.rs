//! What do a file's counts and bounds say of its columns?
//!
//! Spec: Field-level Metrics and Statistics; Schema Evolution (bounds keep their old type's length).
//!
//! Invariant: what cannot be decoded or trusted is unknown, never an answer.

use arrow_array::{Array, BinaryArray, Int64Array};
use floeberg_core::expr::{ColumnStats, Share, Stats};
use floeberg_core::schema::reserved::{FILE, SPEC_ID, is_requested};
use floeberg_core::schema::{PrimitiveType, Type};
use floeberg_core::value::{Value, single_value};

use crate::metadata::ManifestEntries;

/// The counts and bounds of one entry of a manifest, by field id.
pub(crate) struct EntryStats<'a> {
    /// The entries.
    pub entries: &'a ManifestEntries,
    /// Which of them.
    pub row: usize,
}

impl Stats for EntryStats<'_> {
    fn column(&self, id: i32, field_type: &Type) -> ColumnStats {
        if is_requested(id) {
            return self.metadata_column(id);
        }
        let Some(statistics) = self.entries.statistics.get(&id) else { return ColumnStats::default() };
        let values = count(&statistics.value_count, self.row);
        let is_float = matches!(field_type, Type::Primitive(PrimitiveType::Float | PrimitiveType::Double));
        let rows = self.entries.record_count.value(self.row);
        let nulls = nulls(count(&statistics.null_value_count, self.row), values, rows);
        let nans = count(&statistics.nan_value_count, self.row);
        let nans = if is_float { share(nans, values.map(|values| values.max(rows))) } else { Share::None };
        let (lower, upper) = decode_pair(
            field_type,
            bytes(&statistics.lower_bound, self.row),
            bytes(&statistics.upper_bound, self.row),
        );
        ColumnStats { nulls, nans, lower, upper }
    }
}

impl EntryStats<'_> {
    /// What the entry itself says of a metadata column. Statistics of stored lineage are of what is stored, and not of
    /// what its nulls stand for.
    fn metadata_column(&self, id: i32) -> ColumnStats {
        let value = match id {
            FILE => Value::String(self.entries.file_path.value(self.row).to_owned()),
            SPEC_ID => Value::Int(self.entries.spec_id),
            _ => return ColumnStats::default(),
        };
        ColumnStats { nulls: Share::None, nans: Share::None, lower: Some(value.clone()), upper: Some(value) }
    }
}

/// Decodes two bounds. A uuid's are unknown unless they are equal: some writers order uuids as two signed longs. Those of
/// geometries and geographies are corners of a box, and no bytes to compare.
pub(crate) fn decode_pair(
    field_type: &Type,
    lower: Option<&[u8]>,
    upper: Option<&[u8]>,
) -> (Option<Value>, Option<Value>) {
    let Type::Primitive(primitive) = field_type else { return (None, None) };
    let is_ordered = match primitive {
        PrimitiveType::Geometry { .. } | PrimitiveType::Geography { .. } => false,
        PrimitiveType::Uuid => lower == upper,
        _ => true,
    };
    if !is_ordered {
        return (None, None);
    }
    let decode = |bytes: &[u8]| single_value::from_bytes(primitive, bytes).ok();
    (lower.and_then(decode), upper.and_then(decode))
}

fn count(counts: &Int64Array, row: usize) -> Option<i64> {
    counts.is_valid(row).then(|| counts.value(row)).filter(|count| *count >= 0)
}

fn bytes(bounds: &BinaryArray, row: usize) -> Option<&[u8]> {
    bounds.is_valid(row).then(|| bounds.value(row))
}

/// Of a field in a struct some writers count only the values whose struct is there: in the other rows it is null too.
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
