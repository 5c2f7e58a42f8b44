//! Do the partition summaries of a manifest list contain the partition values of the manifest?
//!
//! Spec: Manifest Lists, `field_summary`.
//!
//! Invariant: a summary may be wider than its values: only what is left out is wrong.

use std::cmp::Ordering;

use arrow_array::StructArray;
use floeberg_core::Result;
use floeberg_core::arrow_values::from_array;
use floeberg_core::schema::{Field, PrimitiveType, StructType, Type};
use floeberg_core::value::ordering::compare;
use floeberg_core::value::single_value::from_bytes;
use floeberg_core::value::{PartitionKey, Value, format_hex};
use floeberg_iceberg::manifest::{FieldSummary, ManifestFile};

use crate::check::rules::manifests::{SUMMARY_BOUNDS, SUMMARY_FIELDS, SUMMARY_NANS, SUMMARY_NULLS};
use floeberg_core::finding::Findings;

use super::metrics::is_nan;

/// What a manifest holds of one partition field.
#[derive(Default)]
struct Held {
    nulls: bool,
    nans: bool,
    least: Option<Value>,
    most: Option<Value>,
}

/// Checks the summaries of a manifest against the values of its entries, and gives the partition of each entry.
///
/// Errors: `InvalidInput` for values that are not of their type.
pub(super) fn check_summaries(
    found: &mut Findings,
    manifest: &ManifestFile,
    partition_type: &StructType,
    values: &StructArray,
) -> Result<Vec<PartitionKey>> {
    let rows = arrow_array::Array::len(values);
    let mut held: Vec<Held> = partition_type.fields.iter().map(|_| Held::default()).collect();
    let mut keys = Vec::with_capacity(rows);
    for row in 0..rows {
        let mut tuple = Vec::with_capacity(held.len());
        for (number, field) in partition_type.fields.iter().enumerate() {
            let value = match &field.field_type {
                // Values of unknown transforms still tell partitions apart, but have no order here.
                Type::Primitive(PrimitiveType::Unknown) => None,
                field_type => from_array(values.column(number).as_ref(), row, field_type)?,
            };
            held[number].add(value.as_ref());
            tuple.push(value);
        }
        keys.push(PartitionKey::new(tuple.iter().map(Option::as_ref)));
    }
    let Some(summaries) = &manifest.partitions else { return Ok(keys) };
    if summaries.len() != partition_type.fields.len() {
        let (expected, there) = (partition_type.fields.len(), summaries.len());
        found.add(
            &SUMMARY_FIELDS,
            "partitions",
            format_args!("expected {expected} summaries, found {there}"),
        );
        return Ok(keys);
    }
    for ((field, summary), held) in partition_type.fields.iter().zip(summaries).zip(&held) {
        if field.field_type != Type::Primitive(PrimitiveType::Unknown) {
            check_summary(found, field, summary, held);
        }
    }
    Ok(keys)
}

impl Held {
    fn add(&mut self, value: Option<&Value>) {
        let Some(value) = value else {
            self.nulls = true;
            return;
        };
        if is_nan(value) {
            self.nans = true;
            return;
        }
        let is_beyond = |bound: &Option<Value>, order: Ordering| {
            bound.as_ref().is_none_or(|bound| compare(value, bound) == Some(order))
        };
        if is_beyond(&self.least, Ordering::Less) {
            self.least = Some(value.clone());
        }
        if is_beyond(&self.most, Ordering::Greater) {
            self.most = Some(value.clone());
        }
    }
}

fn check_summary(found: &mut Findings, field: &Field, summary: &FieldSummary, held: &Held) {
    let part = format!("partitions, {}", field.name);
    if held.nulls && !summary.contains_null {
        found.add(&SUMMARY_NULLS, &part, "contains_null is false, and there are nulls");
    }
    if held.nans && summary.contains_nan == Some(false) {
        found.add(&SUMMARY_NANS, &part, "contains_nan is false, and there are NaNs");
    }
    let Type::Primitive(primitive) = &field.field_type else { return };
    let bounds = [
        ("lower_bound", &summary.lower_bound, &held.least, Ordering::Greater),
        ("upper_bound", &summary.upper_bound, &held.most, Ordering::Less),
    ];
    for (name, bytes, value, outside) in bounds {
        let Some(bytes) = bytes else {
            if let Some(value) = value {
                found.add(&SUMMARY_BOUNDS, &part, format_args!("there is no {name}, and the value {value}"));
            }
            continue;
        };
        let bound = match from_bytes(primitive, bytes) {
            Ok(bound) if !is_nan(&bound) => bound,
            _ => {
                let shown = format_hex(&bytes[..bytes.len().min(32)]);
                found.add(&SUMMARY_BOUNDS, &part, format_args!("{name} is no value of {primitive}: {shown}"));
                continue;
            }
        };
        // Iceberg Java orders uuids as two signed numbers.
        if *primitive == PrimitiveType::Uuid {
            continue;
        }
        if let Some(value) = value
            && compare(&bound, value) == Some(outside)
        {
            found.add(&SUMMARY_BOUNDS, &part, format_args!("{name} is {bound}, and there is {value}"));
        }
    }
}
