use proptest::prelude::*;

use super::strategies::typed_value;
use crate::error::ErrorKind;
use crate::primitive::PrimitiveType;
use crate::value::Value;
use crate::value::single_value::{from_bytes, to_bytes};

const DECIMAL: PrimitiveType = PrimitiveType::Decimal { precision: 9, scale: 2 };

fn decimal(unscaled: i128) -> Value {
    Value::Decimal { unscaled, scale: 2 }
}

#[test]
fn bounds_from_before_a_promotion_decode_by_their_length() {
    let four = (-2_i32).to_le_bytes();
    assert_eq!(from_bytes(&PrimitiveType::Long, &four).unwrap(), Value::Long(-2));
    assert_eq!(from_bytes(&PrimitiveType::Double, &1.5_f32.to_le_bytes()).unwrap(), Value::Double(1.5));
    assert_eq!(from_bytes(&PrimitiveType::Timestamp, &four).unwrap(), Value::Timestamp(-172_800_000_000));
    assert_eq!(
        from_bytes(&PrimitiveType::TimestampNs, &four).unwrap(),
        Value::TimestampNs(-172_800_000_000_000)
    );
}

#[test]
fn a_promoted_date_outside_the_range_is_an_error() {
    for promoted in [PrimitiveType::Timestamp, PrimitiveType::TimestampNs] {
        let error = from_bytes(&promoted, &i32::MAX.to_le_bytes()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
    }
    assert!(from_bytes(&PrimitiveType::Timestamptz, &1_i32.to_le_bytes()).is_err());
}

#[test]
fn decimals_take_the_fewest_bytes_and_read_from_any_number_of_them() {
    for (unscaled, bytes) in [
        (0, &[0x00][..]),
        (-1, &[0xff]),
        (127, &[0x7f]),
        (128, &[0x00, 0x80]),
        (-128, &[0x80]),
        (-129, &[0xff, 0x7f]),
        (1_420, &[0x05, 0x8c]),
    ] {
        assert_eq!(to_bytes(&decimal(unscaled)).unwrap(), bytes, "{unscaled}");
        assert_eq!(from_bytes(&DECIMAL, bytes).unwrap(), decimal(unscaled));
    }
    assert_eq!(from_bytes(&DECIMAL, &[0xff; 16]).unwrap(), decimal(-1));
    assert_eq!(from_bytes(&DECIMAL, &[0xff; 20]).unwrap(), decimal(-1), "the sign may be repeated");
    assert_eq!(from_bytes(&DECIMAL, &[0; 17]).unwrap(), decimal(0));
    let mut too_large = [0; 17];
    too_large[0] = 1;
    assert!(from_bytes(&DECIMAL, &too_large).is_err());
    too_large[..2].copy_from_slice(&[0, 0x80]);
    assert!(from_bytes(&DECIMAL, &too_large).is_err(), "the first bit of 16 bytes is not the sign");
    assert!(from_bytes(&DECIMAL, &[]).is_err());
}

#[test]
fn wrong_lengths_are_invalid_data() {
    for (primitive, bytes) in [
        (PrimitiveType::Boolean, &[][..]),
        (PrimitiveType::Boolean, &[0, 1]),
        (PrimitiveType::Int, &[0; 8]),
        (PrimitiveType::Long, &[0; 5]),
        (PrimitiveType::Float, &[0; 8]),
        (PrimitiveType::Date, &[0; 3]),
        (PrimitiveType::Time, &[0; 4]),
        (PrimitiveType::Uuid, &[0; 15]),
        (PrimitiveType::Fixed(2), &[0; 3]),
        (PrimitiveType::String, &[0xff]),
        (PrimitiveType::Unknown, &[]),
    ] {
        assert_eq!(from_bytes(&primitive, bytes).unwrap_err().kind(), ErrorKind::InvalidData, "{primitive}");
    }
}

#[test]
fn any_byte_but_zero_is_true() {
    assert_eq!(from_bytes(&PrimitiveType::Boolean, &[7]).unwrap(), Value::Boolean(true));
    assert_eq!(from_bytes(&PrimitiveType::Boolean, &[0]).unwrap(), Value::Boolean(false));
}

#[test]
fn nested_values_have_no_bytes() {
    assert_eq!(to_bytes(&Value::List(vec![])).unwrap_err().kind(), ErrorKind::InvalidInput);
}

proptest! {
    #[test]
    fn every_value_reads_back((primitive, value) in typed_value()) {
        prop_assert!(value.matches(&primitive));
        prop_assert_eq!(from_bytes(&primitive, &to_bytes(&value).unwrap()).unwrap(), value);
    }
}
