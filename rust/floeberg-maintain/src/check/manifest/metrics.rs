//! Are the counts and bounds of columns possible?
//!
//! Spec: Field-level Metrics and Statistics; Bound serialization.
//!
//! Invariant: bounds of uuids have no order here: Iceberg Java writes them in that of two signed numbers.

use std::cmp::Ordering;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, MapArray};
use floeberg_core::schema::{PrimitiveType, Type};
use floeberg_core::value::geo_bound::GeoBound;
use floeberg_core::value::ordering::compare;
use floeberg_core::value::single_value::from_bytes;
use floeberg_core::value::{Value, format_hex};

use crate::check::known::{Known, KnownColumn};
use crate::check::rules::entries::{
    BOUND_ORDER, BOUND_VALUE, METRIC_COUNTS, METRIC_NANS, METRIC_NEGATIVE, METRIC_TWICE,
};
use floeberg_core::finding::Findings;

use super::stored::{POSITIONS, Stored};

/// One map of an entry: keys, and where their values are.
struct Entry<'a> {
    keys: &'a [i32],
    first: usize,
}

impl<'a> Entry<'a> {
    fn of(map: &'a MapArray, row: usize) -> Self {
        if map.is_null(row) {
            return Self { keys: &[], first: 0 };
        }
        let ends = map.value_offsets();
        let (first, end) = (ends[row] as usize, ends[row + 1] as usize);
        Self { keys: &map.keys().as_primitive::<Int32Type>().values()[first..end], first }
    }

    /// Where the value of a column is. Writers list columns in one order, so that it is often at the same place.
    fn find(&self, column: i32, likely: usize) -> Option<usize> {
        let place = if self.keys.get(likely) == Some(&column) {
            Some(likely)
        } else {
            self.keys.iter().position(|key| *key == column)
        };
        place.map(|place| self.first + place)
    }
}

/// Checks the metrics of an entry.
pub(super) fn check_metrics(found: &mut Findings, known: &Known, stored: &Stored, row: usize, part: &str) {
    let maps = [
        ("column_sizes", &stored.column_sizes),
        ("value_counts", &stored.value_counts),
        ("null_value_counts", &stored.null_counts),
        ("nan_value_counts", &stored.nan_counts),
        ("lower_bounds", &stored.lower_bounds),
        ("upper_bounds", &stored.upper_bounds),
    ];
    for (name, map) in maps {
        let keys = Entry::of(map, row).keys;
        if !keys.is_sorted_by(|one, next| one < next) {
            let mut sorted = keys.to_vec();
            sorted.sort_unstable();
            if let Some([twice, _]) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                found.add(&METRIC_TWICE, part, format_args!("{name} has the column {twice} twice"));
            }
        }
    }
    check_counts(found, known, stored, row, part);
    // Metrics of position deletes are of paths and positions, and those of vectors are none.
    if stored.content(row) != POSITIONS {
        check_bounds(found, known, stored, row, part);
    }
}

fn check_counts(found: &mut Findings, known: &Known, stored: &Stored, row: usize, part: &str) {
    for (name, map) in [
        ("column_sizes", &stored.column_sizes),
        ("value_counts", &stored.value_counts),
        ("null_value_counts", &stored.null_counts),
        ("nan_value_counts", &stored.nan_counts),
    ] {
        let entry = Entry::of(map, row);
        let values = map.values().as_primitive::<Int64Type>();
        for (place, column) in entry.keys.iter().enumerate() {
            let at = entry.first + place;
            if values.is_valid(at) && values.value(at) < 0 {
                let value = values.value(at);
                found.add(&METRIC_NEGATIVE, column_part(part, *column), format_args!("{name} is {value}"));
            }
        }
    }
    let (counts, nulls, nans) =
        [&stored.value_counts, &stored.null_counts, &stored.nan_counts].map(|map| Entry::of(map, row)).into();
    let value = |map: &MapArray, place: Option<usize>| {
        let values = map.values().as_primitive::<Int64Type>();
        place.filter(|place| values.is_valid(*place)).map(|place| values.value(place))
    };
    let rows = stored.record_count.value(row);
    for (place, column) in counts.keys.iter().enumerate() {
        let Some(count) = value(&stored.value_counts, counts.find(*column, place)) else { continue };
        let null = value(&stored.null_counts, nulls.find(*column, place)).unwrap_or(0);
        let nan = value(&stored.nan_counts, nans.find(*column, place)).unwrap_or(0);
        if null.max(0).saturating_add(nan.max(0)) > count && count >= 0 {
            let message = format_args!("found {count} values, {null} nulls and {nan} NaNs");
            found.add(&METRIC_COUNTS, column_part(part, *column), message);
        } else if count != rows && count >= 0 && known.columns.get(column).is_some_and(is_plain) {
            let message = format_args!("found {count} values in {rows} rows");
            found.add(&METRIC_COUNTS, column_part(part, *column), message);
        }
    }
    for (place, column) in nans.keys.iter().enumerate() {
        let count = value(&stored.nan_counts, nans.find(*column, place)).unwrap_or(0);
        let is_float = |known: &KnownColumn| {
            matches!(known.field_type, Type::Primitive(PrimitiveType::Float | PrimitiveType::Double))
        };
        if count > 0 && known.columns.get(column).is_some_and(|known| !is_float(known)) {
            found.add(&METRIC_NANS, column_part(part, *column), format_args!("found {count} NaNs"));
        }
    }
}

/// Is it a column with one value a row?
fn is_plain(column: &KnownColumn) -> bool {
    column.is_top && matches!(column.field_type, Type::Primitive(_))
}

fn check_bounds(found: &mut Findings, known: &Known, stored: &Stored, row: usize, part: &str) {
    let (lower, upper) = (Entry::of(&stored.lower_bounds, row), Entry::of(&stored.upper_bounds, row));
    let lower_bytes = stored.lower_bounds.values().as_binary::<i32>();
    let upper_bytes = stored.upper_bounds.values().as_binary::<i32>();
    for (place, column) in upper.keys.iter().enumerate() {
        let at = upper.first + place;
        if upper_bytes.is_valid(at) && lower.find(*column, place).is_none() {
            decoded(found, known, *column, "upper_bounds", upper_bytes.value(at), part);
        }
    }
    for (place, column) in lower.keys.iter().enumerate() {
        let at = lower.first + place;
        if lower_bytes.is_null(at) {
            continue;
        }
        let least = decoded(found, known, *column, "lower_bounds", lower_bytes.value(at), part);
        let Some(at) = upper.find(*column, place).filter(|at| upper_bytes.is_valid(*at)) else { continue };
        let most = decoded(found, known, *column, "upper_bounds", upper_bytes.value(at), part);
        let (Some(least), Some(most)) = (least, most) else { continue };
        if !matches!(least, Value::Uuid(_)) && compare(&least, &most) == Some(Ordering::Greater) {
            found.add(&BOUND_ORDER, column_part(part, *column), format_args!("{least} is above {most}"));
        }
    }
}

/// A bound, decoded; `None` for one of a column without an order, and for one that is a finding.
fn decoded(
    found: &mut Findings,
    known: &Known,
    column: i32,
    name: &str,
    bytes: &[u8],
    part: &str,
) -> Option<Value> {
    let Type::Primitive(primitive) = &known.columns.get(&column)?.field_type else { return None };
    if let PrimitiveType::Geometry { .. } | PrimitiveType::Geography { .. } = primitive {
        if let Err(error) = GeoBound::from_bytes(bytes) {
            found.add(&BOUND_VALUE, column_part(part, column), format_args!("{name}: {}", error.message()));
        }
        return None;
    }
    let value = match from_bytes(primitive, bytes) {
        Ok(value) => value,
        Err(error) => {
            let shown = format_hex(&bytes[..bytes.len().min(32)]);
            let message = format_args!("{name}: {}: {shown}", error.message());
            found.add(&BOUND_VALUE, column_part(part, column), message);
            return None;
        }
    };
    if is_nan(&value) {
        found.add(&BOUND_VALUE, column_part(part, column), format_args!("{name} is NaN"));
        return None;
    }
    Some(value)
}

/// Is it NaN?
pub(in crate::check) fn is_nan(value: &Value) -> bool {
    match value {
        Value::Float(value) => value.is_nan(),
        Value::Double(value) => value.is_nan(),
        _ => false,
    }
}

fn column_part(part: &str, column: i32) -> String {
    format!("{part}, column {column}")
}
