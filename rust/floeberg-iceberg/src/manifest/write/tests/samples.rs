//! Entries that keep the rules, at random.

use std::collections::BTreeMap;

use floeberg_core::schema::PrimitiveType;
use floeberg_core::value::Value;
use proptest::prelude::*;

use super::super::{DataFile, EntryStatus, FileContent, ManifestEntry};
use super::SNAPSHOT;
use crate::manifest::ManifestContent;

/// A manifest: its format version, what it lists, the types it is partitioned by, and its entries.
pub(super) type Sample = (u8, ManifestContent, Vec<PrimitiveType>, Vec<ManifestEntry>);

pub(super) fn samples() -> impl Strategy<Value = Sample> {
    let versions = prop_oneof![
        Just((1, ManifestContent::Data)),
        Just((2, ManifestContent::Data)),
        Just((2, ManifestContent::Deletes)),
        Just((3, ManifestContent::Data)),
        Just((3, ManifestContent::Deletes)),
    ];
    let types = prop::collection::vec(types(), 0..4);
    (versions, types).prop_flat_map(|((version, content), types)| {
        let entry = entries(version, content, &types);
        (Just(version), Just(content), Just(types), prop::collection::vec(entry, 0..12))
    })
}

fn types() -> impl Strategy<Value = PrimitiveType> {
    use PrimitiveType as P;
    prop_oneof![
        prop::sample::select(vec![
            P::Boolean,
            P::Int,
            P::Long,
            P::Float,
            P::Double,
            P::Date,
            P::Time,
            P::Timestamp
        ]),
        prop::sample::select(vec![
            P::Timestamptz,
            P::TimestampNs,
            P::TimestamptzNs,
            P::String,
            P::Uuid,
            P::Binary
        ]),
        Just(P::Unknown),
        (0_u32..20).prop_map(P::Fixed),
        (1_u8..=38, 0_u8..5)
            .prop_map(|(precision, scale)| P::Decimal { precision, scale: scale.min(precision) }),
    ]
}

/// A value of a type, or null.
fn value(field_type: &PrimitiveType) -> BoxedStrategy<Option<Value>> {
    use PrimitiveType as P;
    let value = match field_type {
        P::Boolean => any::<bool>().prop_map(Value::Boolean).boxed(),
        P::Int => any::<i32>().prop_map(Value::Int).boxed(),
        P::Date => any::<i32>().prop_map(Value::Date).boxed(),
        P::Long => any::<i64>().prop_map(Value::Long).boxed(),
        P::Time => any::<i64>().prop_map(Value::Time).boxed(),
        P::Timestamp => any::<i64>().prop_map(Value::Timestamp).boxed(),
        P::Timestamptz => any::<i64>().prop_map(Value::Timestamptz).boxed(),
        P::TimestampNs => any::<i64>().prop_map(Value::TimestampNs).boxed(),
        P::TimestamptzNs => any::<i64>().prop_map(Value::TimestamptzNs).boxed(),
        P::Float => any::<u32>().prop_map(|bits| Value::Float(f32::from_bits(bits))).boxed(),
        P::Double => any::<u64>().prop_map(|bits| Value::Double(f64::from_bits(bits))).boxed(),
        P::String => ".{0,12}".prop_map(Value::String).boxed(),
        P::Uuid => any::<[u8; 16]>().prop_map(Value::Uuid).boxed(),
        P::Binary => any::<Vec<u8>>().prop_map(Value::Binary).boxed(),
        P::Fixed(length) => {
            prop::collection::vec(any::<u8>(), *length as usize).prop_map(Value::Fixed).boxed()
        }
        P::Decimal { precision, scale } => {
            let (most, scale) = (10_i128.pow(u32::from(*precision)) - 1, *scale);
            (-most..=most).prop_map(move |unscaled| Value::Decimal { unscaled, scale }).boxed()
        }
        P::Unknown | P::Geometry { .. } | P::Geography { .. } => return Just(None).boxed(),
    };
    prop::option::weighted(0.8, value).boxed()
}

fn counts() -> impl Strategy<Value = Option<BTreeMap<i32, i64>>> {
    prop::option::of(prop::collection::btree_map(any::<i32>(), any::<i64>(), 0..4))
}

fn bounds() -> impl Strategy<Value = Option<BTreeMap<i32, Vec<u8>>>> {
    prop::option::of(prop::collection::btree_map(any::<i32>(), any::<Vec<u8>>(), 0..4))
}

fn size() -> impl Strategy<Value = i64> {
    0..i64::from(u32::MAX)
}

fn entries(
    version: u8,
    content: ManifestContent,
    types: &[PrimitiveType],
) -> impl Strategy<Value = ManifestEntry> + use<> {
    let partition: Vec<_> = types.iter().map(value).collect();
    let kind = match (content, version) {
        (ManifestContent::Data, _) => 0..=0,
        (ManifestContent::Deletes, 2) => 1..=2,
        (ManifestContent::Deletes, _) => 2..=3,
    };
    let file = (kind, ".{1,20}", partition, size(), size());
    let maps = (counts(), counts(), counts(), counts(), bounds(), bounds());
    let rest = (
        prop::option::of(any::<Vec<u8>>()),
        prop::option::of(prop::collection::vec(size(), 0..4)),
        prop::collection::vec(any::<i32>(), 1..4),
        prop::option::of(any::<i32>()),
        prop::option::of(size()),
        ".{1,9}",
        size(),
    );
    let numbers = (0..3, size(), prop::option::of(size()), prop::option::of(size()));
    (file, maps, rest, numbers).prop_map(move |(file, maps, rest, numbers)| {
        let (kind, file_path, partition, record_count, file_size_in_bytes) = file;
        let (is_equality, is_vector) = (kind == 2, kind == 3);
        let (key_metadata, mut split_offsets, equality_ids, sort_order_id, first_row_id, referenced, place) =
            rest;
        if let Some(offsets) = &mut split_offsets {
            offsets.sort_unstable();
        }
        let is_data = kind == 0;
        let is_added = numbers.0 == EntryStatus::Added as i32;
        let data_file = DataFile {
            content: match kind {
                0 => FileContent::Data,
                2 => FileContent::EqualityDeletes,
                _ => FileContent::PositionDeletes,
            },
            file_path,
            file_format: if is_vector { "puffin" } else { "orc" }.to_owned(),
            partition,
            record_count,
            file_size_in_bytes,
            column_sizes: maps.0,
            value_counts: maps.1,
            null_value_counts: maps.2,
            nan_value_counts: maps.3,
            lower_bounds: maps.4,
            upper_bounds: maps.5,
            key_metadata,
            split_offsets,
            equality_ids: is_equality.then_some(equality_ids),
            sort_order_id: sort_order_id.filter(|_| is_data || is_equality),
            first_row_id: first_row_id.filter(|_| version == 3 && is_data && !is_added),
            referenced_data_file: (!is_data && !is_equality).then_some(referenced),
            content_offset: is_vector.then_some(place),
            content_size_in_bytes: is_vector.then_some(place / 2),
        };
        let status = [EntryStatus::Existing, EntryStatus::Added, EntryStatus::Deleted][numbers.0 as usize];
        let added = status == EntryStatus::Added;
        let number = |number: Option<i64>| if version == 1 { Some(0) } else { number };
        ManifestEntry {
            unknown: None,
            status,
            snapshot_id: if added { numbers.2.map(|_| SNAPSHOT) } else { Some(numbers.1) },
            sequence_number: if added { number(numbers.2) } else { number(Some(numbers.1)) },
            file_sequence_number: number(numbers.3),
            data_file,
        }
    })
}
