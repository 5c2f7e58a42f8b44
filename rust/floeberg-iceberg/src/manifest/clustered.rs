//! Do manifests list the files of one partition after the other, and how are partitions ordered?
//!
//! In: manifests of one spec, with their partition summaries; partitions of files. Out: whether ranges of partition values overlap;
//! bytes with the order of partitions.
//! Spec: Manifest Lists, `field_summary`.
//!
//! ```text
//! [a, c] [c, f] [g]    clustered: two neighbours may share a value
//! [a, f] [b, g]        not clustered
//! ```
//!
//! Invariant: without summaries, or with bounds that have no order, manifests are not known to be clustered.

use std::cmp::Ordering;

use arrow_array::StructArray;
use floeberg_core::Result;
use floeberg_core::value::Value;
use floeberg_core::value::ordering::compare;
use floeberg_files::OrderedValues;

use super::bounds::decode_pair;
use super::{BoundSpec, FieldSummary, ManifestFile};

/// The values of a partition field in a manifest. `None` is null, which comes first.
type Range = (Option<Value>, Option<Value>);

/// Are manifests of a spec clustered by these positions of its fields, the first one first?
pub fn are_clustered(manifests: &[&ManifestFile], spec: &BoundSpec, fields: &[usize]) -> bool {
    if fields.is_empty() || manifests.len() < 2 {
        return true;
    }
    let ranges = |manifest: &&ManifestFile| -> Option<Vec<Range>> {
        let summaries = manifest.partitions.as_ref()?;
        fields.iter().map(|field| range(summaries.get(*field)?, spec, *field)).collect()
    };
    let Some(mut all) = manifests.iter().map(ranges).collect::<Option<Vec<_>>>() else { return false };
    all.sort_by(|one, other| {
        let by_field = one.iter().zip(other).map(|(one, other)| {
            order(one.0.as_ref(), other.0.as_ref()).then_with(|| order(one.1.as_ref(), other.1.as_ref()))
        });
        by_field.fold(Ordering::Equal, Ordering::then)
    });
    all.windows(2).all(|pair| match pair {
        [one, other] => follows(one, other),
        _ => true,
    })
}

/// Bytes with the order of the partitions of rows, by these positions of the fields of their spec. Null comes first. Values whose
/// type only a manifest knows count as null.
///
/// Errors: `Internal` for nested values.
pub fn partition_order(
    spec: &BoundSpec,
    partition: &StructArray,
    fields: &[usize],
    rows: &[usize],
) -> Result<Vec<Vec<u8>>> {
    let columns = spec.known_columns(partition);
    let columns = fields.iter().filter_map(|field| columns.get(*field));
    let columns: Vec<OrderedValues<'_>> = columns.map(OrderedValues::of).collect::<Result<_>>()?;
    let order = |row: &usize| {
        let mut key = Vec::new();
        for values in &columns {
            let is_there = !values.is_null(*row);
            key.push(u8::from(is_there));
            if is_there {
                values.put(&mut key, *row);
            }
        }
        key
    };
    Ok(rows.iter().map(order).collect())
}

/// Does a manifest begin where another one ends, or later?
fn follows(before: &[Range], after: &[Range]) -> bool {
    for (before, after) in before.iter().zip(after) {
        match order(before.1.as_ref(), after.0.as_ref()) {
            Ordering::Less => return true,
            Ordering::Greater => return false,
            // Both may have files of the value that they share: the next field decides where both have no other value.
            Ordering::Equal => {
                let has_one = |range: &Range| order(range.0.as_ref(), range.1.as_ref()) == Ordering::Equal;
                if !has_one(before) || !has_one(after) {
                    return true;
                }
            }
        }
    }
    true
}

fn range(summary: &FieldSummary, spec: &BoundSpec, field: usize) -> Option<Range> {
    let field_type = &spec.partition_type.fields.get(field)?.field_type;
    if summary.lower_bound.is_none() && summary.upper_bound.is_none() {
        // All values are null, or NaN, which has no order.
        return (summary.contains_null && summary.contains_nan != Some(true)).then_some((None, None));
    }
    let (lower, upper) =
        decode_pair(field_type, summary.lower_bound.as_deref(), summary.upper_bound.as_deref());
    let (lower, upper) = (lower?, upper?);
    compare(&lower, &upper)?;
    Some((Some(lower).filter(|_| !summary.contains_null), Some(upper)))
}

fn order(one: Option<&Value>, other: Option<&Value>) -> Ordering {
    match (one, other) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        (Some(one), Some(other)) => compare(one, other).unwrap_or(Ordering::Equal),
    }
}
