use floeberg_core::expr::Share;
use floeberg_core::schema::{PrimitiveType, Type};
use floeberg_core::value::Value;

use crate::plan::bounds::{decode_pair, nulls};

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
