use std::io::Cursor;

use proptest::prelude::*;

use crate::transform::Transform;
use crate::transform::bucket::{Buckets, hash, hash_bytes, hash_long};
use crate::value::datetime::{parse_date, parse_time, parse_timestamp};
use crate::value::{Value, parse_uuid};

/// The oracle.
fn murmur3(bytes: &[u8]) -> i32 {
    murmur3::murmur3_32(&mut Cursor::new(bytes), 0).unwrap() as i32
}

fn micros(text: &str) -> i64 {
    parse_timestamp(text).unwrap().micros().unwrap()
}

fn nanos(text: &str) -> i64 {
    parse_timestamp(text).unwrap().nanos().unwrap()
}

#[test]
fn every_test_vector_of_appendix_b_holds() {
    let local = ["2017-11-16T22:31:08", "2017-11-16T22:31:08.000001", "2017-11-16T22:31:08.000001001"];
    let zoned = [
        "2017-11-16T14:31:08-08:00",
        "2017-11-16T14:31:08.000001-08:00",
        "2017-11-16T14:31:08.000001001-08:00",
    ];
    for (value, expected) in [
        (Value::Int(34), 2_017_239_379),
        (Value::Long(34), 2_017_239_379),
        (Value::Decimal { unscaled: 1_420, scale: 2 }, -500_754_589),
        (Value::Date(parse_date("2017-11-16").unwrap()), -653_330_422),
        (Value::Time(parse_time("22:31:08").unwrap()), -662_762_989),
        (Value::Timestamp(micros(local[0])), -2_047_944_441),
        (Value::Timestamp(micros(local[1])), -1_207_196_810),
        (Value::Timestamptz(micros(zoned[0])), -2_047_944_441),
        (Value::Timestamptz(micros(zoned[1])), -1_207_196_810),
        (Value::TimestampNs(nanos(local[0])), -2_047_944_441),
        (Value::TimestampNs(nanos(local[2])), -1_207_196_810),
        (Value::TimestamptzNs(nanos(zoned[0])), -2_047_944_441),
        (Value::TimestamptzNs(nanos(zoned[2])), -1_207_196_810),
        (Value::String("iceberg".into()), 1_210_000_089),
        (Value::Uuid(parse_uuid("f79c3e09-677c-4bbd-a479-3f349cb785e7").unwrap()), 1_488_055_340),
        (Value::Fixed(vec![0, 1, 2, 3]), -188_683_207),
        (Value::Binary(vec![0, 1, 2, 3]), -188_683_207),
        (Value::Boolean(true), 1_392_991_556),
        (Value::Float(1.0), -142_385_009),
        (Value::Float(0.0), 1_669_671_676),
        (Value::Float(-0.0), 1_669_671_676),
        (Value::Double(1.0), -142_385_009),
        (Value::Double(0.0), 1_669_671_676),
        (Value::Double(-0.0), 1_669_671_676),
    ] {
        assert_eq!(hash(&value), Some(expected), "{value}");
    }
    assert_eq!(hash(&Value::Double(-f64::NAN)), hash(&Value::Float(f32::NAN)));
}

#[test]
fn nanoseconds_before_1970_floor_to_microseconds() {
    assert_eq!(hash(&Value::TimestampNs(-1)), hash(&Value::Timestamp(-1)));
    assert_eq!(hash(&Value::TimestampNs(-1_001)), hash(&Value::Timestamp(-2)));
}

#[test]
fn a_bucket_is_never_negative() {
    assert_eq!(Transform::Bucket(16).apply(&Value::Date(17_486)).unwrap(), Some(Value::Int(10)));
    assert_eq!(hash(&Value::Date(17_486)), Some(-653_330_422));
}

#[test]
fn floats_and_booleans_have_no_bucket() {
    for value in [Value::Float(1.0), Value::Double(1.0), Value::Boolean(true), Value::List(vec![])] {
        assert!(Transform::Bucket(4).apply(&value).is_err());
    }
}

proptest! {
    #[test]
    fn bytes_hash_as_the_murmur3_crate_says(bytes in proptest::collection::vec(any::<u8>(), 0..70)) {
        prop_assert_eq!(hash_bytes(&bytes), murmur3(&bytes));
    }

    #[test]
    fn longs_hash_as_the_murmur3_crate_says(value in any::<i64>()) {
        prop_assert_eq!(hash_long(value), murmur3(&value.to_le_bytes()));
    }

    #[test]
    fn the_bucket_is_the_remainder(hash in any::<i32>(), number in 1..=i32::MAX) {
        prop_assert_eq!(Buckets::new(number as u32).of(hash), (hash & i32::MAX) % number);
        prop_assert_eq!(Buckets::new(1).of(hash), 0);
    }
}
