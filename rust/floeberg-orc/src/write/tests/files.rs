//! Are the rows of a file read back, and is what the file says of them true?

use floeberg_core::expr::Share;
use floeberg_core::schema::{Field, PrimitiveType as P, Type};
use floeberg_core::value::Value;
use floeberg_core::{ErrorKind, Result};
use std::sync::Arc;

use super::fixture::{assert_rows, codec, fields, leaves, open, written};
use crate::Compression;
use crate::write::{OrcShape, OrcWriter};

const ALL: [Compression; 5] =
    [Compression::None, Compression::Zlib, Compression::Snappy, Compression::Lz4, Compression::Zstd];

#[test]
fn rows_of_every_codec_are_read_back() {
    for compression in ALL {
        let (bytes, _) = written(compression, &[3, 11], &[25_000, 1, 10_000], 7_001);
        let file = open(&bytes);
        assert_eq!(file.user_metadata("key"), Some("value"));
        assert_eq!(
            file.stripes().iter().map(|stripe| stripe.rows.clone()).collect::<Vec<_>>(),
            [0..25_000, 25_000..25_001, 25_001..35_001]
        );
        for (number, stripe) in file.stripes().iter().enumerate() {
            let read: Result<Vec<_>> = file.read(number, &leaves(&file), 4_000).unwrap().collect();
            assert_rows(&read.unwrap(), stripe.rows.start, stripe.rows.end - stripe.rows.start);
        }
    }
}

#[test]
fn how_rows_come_does_not_change_the_file() {
    let one = written(Compression::Zstd, &[2], &[25_000], 25_000).0;
    assert!(one == written(Compression::Zstd, &[2], &[25_000], 999).0);
}

#[test]
fn types_have_the_attributes_of_iceberg() {
    let (bytes, _) = written(Compression::None, &[], &[1], 1);
    let file = open(&bytes);
    let ids = |field: &arrow_schema::FieldRef| floeberg_core::schema::arrow::field_id(field);
    let expected: Vec<_> = fields().iter().map(|field| field.id).filter(|id| *id != 15).map(Some).collect();
    assert_eq!(file.fields().iter().map(ids).collect::<Vec<_>>(), expected);
    assert_eq!(file.fields()[13].data_type(), &arrow_schema::DataType::FixedSizeBinary(3));
}

#[test]
fn totals_are_those_of_all_stripes() {
    let (bytes, totals) = written(Compression::Zlib, &[], &[20_000, 5_000], 5_000);
    let of = |id: i32| totals.iter().find(|total| total.id == id).unwrap();
    assert_eq!(of(3).ends, Some((Value::Long(0), Value::Long(24_999 * 3))));
    assert_eq!((of(3).values, of(3).nans), (25_000, None));
    assert!(of(2).values < 22_500 && of(2).values > 20_000, "{:?}", of(2));
    assert_eq!(of(5).nans, Some(0));
    assert!(of(21).is_repeated && !of(31).is_repeated);
    assert_eq!((&of(13).ends, &of(14).ends), (&None, &None));
    let ends = (Value::String(String::new()), Value::String("iron".to_owned()));
    assert_eq!(of(12).ends.clone().map(|(least, _)| least), Some(ends.0));
    assert_eq!(of(12).ends.clone().map(|(_, most)| most), Some(ends.1));
    let stored: u64 = totals.iter().map(|total| total.bytes).sum();
    assert!(stored < bytes.len() as u64 && stored > 100_000);
    // A struct that is null has no parts.
    assert!(of(31).values < of(30).values);
}

#[test]
fn statistics_of_stripes_bound_their_rows() {
    let (bytes, _) = written(Compression::Snappy, &[], &[10_000, 10_000], 10_000);
    let file = open(&bytes);
    let long = file.stripe_stats(1, 2, &P::Long.into()).unwrap();
    assert_eq!((long.lower, long.upper), (Some(Value::Long(30_000)), Some(Value::Long(59_997))));
    assert_eq!((long.nulls, long.nans), (Share::None, Share::None));
    let int = file.stripe_stats(0, 1, &P::Int.into()).unwrap();
    assert_eq!(int.nulls, Share::Some);
    // A column that was promoted, and one that another type reads.
    let promoted = file.stripe_stats(0, 1, &P::Long.into()).unwrap();
    assert!(matches!(promoted.lower, Some(Value::Long(_))));
    let other = file.stripe_stats(0, 1, &P::String.into()).unwrap();
    assert_eq!((other.lower, other.upper), (None, None));
    // Parts of lists have none.
    let list = file.stripe_stats(0, 14, &P::Int.into()).unwrap();
    assert_eq!((list.nulls, list.lower), (Share::Unknown, None));
    let decimal = file.stripe_stats(0, 5, &P::Decimal { precision: 38, scale: 3 }.into()).unwrap();
    assert!(matches!(decimal.lower, Some(Value::Decimal { unscaled, scale: 3 }) if unscaled < 0));
    let at = file.stripe_stats(0, 8, &P::Timestamp.into()).unwrap();
    assert!(
        matches!((at.lower, at.upper), (Some(Value::Timestamp(least)), Some(Value::Timestamp(most))) if least < most)
    );
}

#[test]
fn a_file_without_rows_is_a_file() {
    let shape = OrcShape::new(&fields(), codec(Compression::Zlib), [].into(), 0.05, Vec::new()).unwrap();
    let (writer, mut bytes) = OrcWriter::new(Arc::new(shape)).unwrap();
    let (end, totals) = writer.finish().unwrap();
    bytes.extend(end);
    let file = open(&bytes);
    assert_eq!((file.stripes().len(), file.fields().len()), (0, fields().len() - 1));
    assert!(totals.iter().all(|total| total.values == 0 && total.ends.is_none()));
}

#[test]
fn types_that_orc_does_not_have_are_refused_by_name() {
    let list = |element: P| {
        let list = floeberg_core::schema::ListType { element: Field::optional(2, "element", element) };
        vec![Field::optional(1, "things", Type::List(Box::new(list)))]
    };
    let made = |fields: &[Field]| {
        OrcShape::new(fields, codec(Compression::None), [].into(), 0.05, Vec::new()).map(drop)
    };
    made(&list(P::Int)).unwrap();
    let error = made(&list(P::Unknown)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("element"), "{error}");
    let matrix = vec![Field::optional(1, "c", Type::Unrecognized("matrix".to_owned()))];
    assert_eq!(made(&matrix).unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn the_last_second_before_1970_is_refused() {
    let fields = [Field::optional(1, "at", P::Timestamp)];
    let shape =
        Arc::new(OrcShape::new(&fields, codec(Compression::None), [].into(), 0.05, Vec::new()).unwrap());
    let mut columns = shape.columns().unwrap();
    let times: arrow_array::ArrayRef =
        Arc::new(arrow_array::TimestampMicrosecondArray::from(vec![Some(-500_000)]));
    let error = columns[0].encode(&times).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("at") && error.to_string().contains("1969"), "{error}");
}
