use floeberg_core::schema::{PrimitiveType, Type};
use floeberg_core::value::Value;

use crate::plan::bounds::decode_pair;

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
