use floeberg_core::expr::Share;
use floeberg_core::schema::{PrimitiveType, Type};
use floeberg_core::value::Value;

use crate::manifest::bounds::{decode_pair, nulls};

#[test]
fn a_bound_that_cannot_be_decoded_is_unknown() {
    let long = Type::from(PrimitiveType::Long);
    assert_eq!(
        decode_pair(&long, Some(&[1, 2, 3]), Some(&7_i64.to_le_bytes())),
        (None, Some(Value::Long(7)))
    );
}

#[test]
fn equal_uuid_bounds_are_certain_whatever_the_writers_order() {
    let uuid = Type::from(PrimitiveType::Uuid);
    let value = Some(Value::Uuid([7; 16]));
    assert_eq!(decode_pair(&uuid, Some(&[7; 16]), Some(&[7; 16])), (value.clone(), value));
}

#[test]
fn rows_whose_struct_is_null_count_as_null_where_the_writer_left_them_out() {
    assert_eq!(nulls(Some(0), Some(4), 6), Share::Some);
    assert_eq!(nulls(Some(0), Some(0), 1), Share::All);
    assert_eq!(nulls(Some(3), Some(3), 6), Share::All);
    assert_eq!(nulls(Some(0), Some(6), 6), Share::None);
    assert_eq!(nulls(Some(0), None, 6), Share::None);
    assert_eq!(nulls(None, Some(4), 6), Share::Unknown);
}

#[test]
fn corners_of_boxes_of_geometries_are_no_bounds() {
    let corner = |x: f64, y: f64| [x.to_le_bytes(), y.to_le_bytes()].concat();
    // Over the antimeridian the lower x is above the upper one.
    let (lower, upper) = (corner(170.0, -10.0), corner(-170.0, 10.0));
    for name in ["geometry", "geography(srid:4326, karney)"] {
        let geo: Type = name.parse().unwrap();
        assert_eq!(decode_pair(&geo, Some(&lower), Some(&upper)), (None, None));
    }
}

#[test]
fn a_date_bound_outside_the_range_of_its_new_type_is_no_bound() {
    let far = i32::MAX.to_le_bytes();
    for promoted in [PrimitiveType::Timestamp, PrimitiveType::TimestampNs] {
        assert_eq!(decode_pair(&Type::from(promoted), Some(&far), Some(&far)), (None, None));
    }
    let micros = Type::from(PrimitiveType::Timestamp);
    let day = 1_i32.to_le_bytes();
    let expected = Some(Value::Timestamp(86_400_000_000));
    assert_eq!(decode_pair(&micros, Some(&day), Some(&far)), (expected, None));
}
