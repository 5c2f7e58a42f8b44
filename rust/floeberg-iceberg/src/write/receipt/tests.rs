#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use floeberg_core::ErrorKind;
use floeberg_core::schema::{Field, PrimitiveType, Schema};
use floeberg_core::value::Value;
use proptest::prelude::*;
use serde_json::Map;

use super::{Purpose, Receipt, WrittenFile};
use crate::manifest::{DataFile, FileContent};
use crate::metadata::PartitionSpec;

fn values() -> impl Strategy<Value = Option<Value>> {
    prop_oneof![
        Just(None),
        any::<bool>().prop_map(|value| Some(Value::Boolean(value))),
        any::<i32>().prop_map(|value| Some(Value::Date(value))),
        any::<i64>().prop_map(|value| Some(Value::TimestamptzNs(value))),
        (any::<i64>(), 0_u8..38)
            .prop_map(|(unscaled, scale)| Some(Value::Decimal { unscaled: unscaled.into(), scale })),
        ".{0,9}".prop_map(|value| Some(Value::String(value))),
        any::<[u8; 16]>().prop_map(|value| Some(Value::Uuid(value))),
        prop::collection::vec(any::<u8>(), 0..9).prop_map(|value| Some(Value::Fixed(value))),
        prop::collection::vec(any::<u8>(), 0..9).prop_map(|value| Some(Value::Binary(value))),
    ]
}

fn files() -> impl Strategy<Value = WrittenFile> {
    let contents = prop::sample::select(vec![
        FileContent::Data,
        FileContent::PositionDeletes,
        FileContent::EqualityDeletes,
    ]);
    let counts = || prop::option::of(prop::collection::btree_map(any::<i32>(), any::<i64>(), 0..4));
    let bounds = || prop::option::of(prop::collection::btree_map(any::<i32>(), any::<Vec<u8>>(), 0..4));
    let shape = (any::<i32>(), contents, prop::collection::vec(values(), 0..4), 0..1000_i64, 0..1000_i64);
    let metrics = (counts(), counts(), counts(), counts(), bounds(), bounds());
    let details = (
        prop::option::of(prop::collection::vec(any::<i64>(), 0..4)),
        prop::option::of(any::<i32>()),
        prop::option::of(".{0,9}"),
    );
    (shape, metrics, details).prop_map(|(shape, metrics, (split_offsets, sort_order_id, referenced))| {
        let (spec_id, content, partition, record_count, file_size_in_bytes) = shape;
        let (column_sizes, value_counts, null_value_counts, nan_value_counts, lower_bounds, upper_bounds) =
            metrics;
        let file = DataFile {
            content,
            partition,
            record_count,
            file_size_in_bytes,
            column_sizes,
            value_counts,
            null_value_counts,
            nan_value_counts,
            lower_bounds,
            upper_bounds,
            split_offsets,
            sort_order_id,
            referenced_data_file: referenced,
            ..DataFile::new("s3://b/data/🧊 1.parquet", "parquet")
        };
        WrittenFile { spec_id, file, purpose: None }
    })
}

proptest! {
    #[test]
    fn a_receipt_that_is_read_back_is_the_same(files in prop::collection::vec(files(), 0..5)) {
        let receipt = Receipt::new(files).unwrap();
        prop_assert_eq!(&Receipt::from_bytes(&receipt.to_bytes().unwrap()).unwrap(), &receipt);
    }

    #[test]
    fn other_bytes_are_refused(bytes in any::<Vec<u8>>()) {
        prop_assert_eq!(Receipt::from_bytes(&bytes).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
}

fn file(rows: i64, size: i64) -> WrittenFile {
    let file = DataFile { record_count: rows, file_size_in_bytes: size, ..DataFile::new("/f", "parquet") };
    WrittenFile { spec_id: 0, file, purpose: None }
}

#[test]
fn receipts_add_up() {
    let first = Receipt::new(vec![file(1, 20), file(2, 30)]).unwrap();
    let both = Receipt::concat([first, Receipt::default(), Receipt::new(vec![file(3, 5)]).unwrap()]).unwrap();
    assert_eq!((both.files().len(), both.rows(), both.size()), (3, 6, 55));
    assert_eq!(both.locations().collect::<Vec<_>>(), ["/f"; 3]);
}

#[test]
fn counts_that_no_file_has_are_refused() {
    for damaged in [vec![file(-1, 1)], vec![file(1, -1)], vec![file(i64::MAX, 1); 3]] {
        assert_eq!(Receipt::new(damaged).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
}

fn written_for(location: &str) -> WrittenFile {
    let fields = vec![Field::required(1, "id", PrimitiveType::Long)];
    let spec = PartitionSpec { spec_id: 3, fields: Vec::new(), unknown_keys: Map::new() };
    let purpose = Purpose {
        table_uuid: Some("9f0840ba".to_owned()),
        location: location.to_owned(),
        schema: Arc::new(Schema::new(7, fields).unwrap()),
        spec: Arc::new(spec),
    };
    WrittenFile { purpose: Some(Arc::new(purpose)), ..file(1, 1) }
}

#[test]
fn what_files_were_written_for_is_read_back_and_kept_once() {
    let receipts =
        ["/a", "/b", "/a"].map(|place| Receipt::new(vec![written_for(place), file(1, 1)]).unwrap());
    let all = Receipt::concat(receipts).unwrap();
    for receipt in [Receipt::from_bytes(&all.to_bytes().unwrap()).unwrap(), all] {
        let (purposes, numbers) = Receipt::purposes(receipt.files());
        assert_eq!(numbers, [Some(0), None, Some(1), None, Some(0), None]);
        let expected = [written_for("/a"), written_for("/b")].map(|written| written.purpose.unwrap());
        assert_eq!(purposes.into_iter().cloned().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_purpose_is_that_of_a_uuid_or_of_a_place() {
    let purpose = written_for("file:///a").purpose.unwrap();
    assert!(purpose.is_of(Some("9F0840BA"), "/elsewhere") && !purpose.is_of(Some("7"), "file:///a"));
    assert!(purpose.is_of(None, "/a") && !purpose.is_of(None, "/b"));
}
