use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{
    Array, BinaryViewArray, DictionaryArray, Int32Array, LargeStringArray, StringArray, StringViewArray,
};
use proptest::prelude::*;

use crate::arrow_values::{from_array, to_array, values_to_array};
use crate::error::ErrorKind;
use crate::schema::arrow::type_to_arrow;
use crate::schema::{Field, ListType, MapType, PrimitiveType, StructType, Type};
use crate::value::Value;
use crate::value::tests::strategies::typed_value;

fn point() -> Type {
    let x = Field { initial_default: Some(Value::Int(7)), ..Field::optional(1, "x", PrimitiveType::Int) };
    Type::Struct(StructType { fields: vec![x, Field::required(2, "y", PrimitiveType::Int)] })
}

fn map_of_lists() -> Type {
    let list = Type::List(Box::new(ListType { element: Field::optional(3, "element", point()) }));
    Type::Map(Box::new(MapType {
        key: Field::required(4, "key", PrimitiveType::String),
        value: Field::optional(5, "value", list),
    }))
}

#[test]
fn a_constant_is_repeated_and_a_null_has_its_type() {
    let uuid = Type::Primitive(PrimitiveType::Uuid);
    for value in [None, Some(Value::Uuid([9; 16]))] {
        let array = to_array(value.as_ref(), &uuid, 3).unwrap();
        assert_eq!((array.len(), array.data_type()), (3, &type_to_arrow(&uuid).unwrap()));
        assert_eq!(from_array(&array, 2, &uuid).unwrap(), value);
    }
    assert_eq!(to_array(None, &point(), 0).unwrap().len(), 0);
}

#[test]
fn nested_values_read_back() {
    let point_value = Value::Struct(vec![(1, None), (2, Some(Value::Int(5)))]);
    let values = [
        Some(Value::Map(vec![
            (Value::String("a".into()), Some(Value::List(vec![Some(point_value), None]))),
            (Value::String("b".into()), None),
        ])),
        None,
        Some(Value::Map(vec![])),
    ];
    let borrowed: Vec<_> = values.iter().map(Option::as_ref).collect();
    let array = values_to_array(&borrowed, &map_of_lists()).unwrap();
    for (row, value) in values.iter().enumerate() {
        assert_eq!(from_array(&array, row, &map_of_lists()).unwrap(), *value);
    }
    let repeated = to_array(values[0].as_ref(), &map_of_lists(), 4).unwrap();
    assert_eq!(from_array(&repeated, 3, &map_of_lists()).unwrap(), values[0]);
}

#[test]
fn a_struct_takes_the_defaults_of_fields_that_it_leaves_out() {
    let value = Value::Struct(vec![(2, Some(Value::Int(1)))]);
    let array = to_array(Some(&value), &point(), 1).unwrap();
    let expected = Value::Struct(vec![(1, Some(Value::Int(7))), (2, Some(Value::Int(1)))]);
    assert_eq!(from_array(&array, 0, &point()).unwrap(), Some(expected));
}

#[test]
fn a_null_in_a_required_field_is_an_error() {
    let error = to_array(Some(&Value::Struct(vec![])), &point(), 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
}

#[test]
fn large_view_and_dictionary_forms_are_read() {
    let string = Type::Primitive(PrimitiveType::String);
    let dictionary: DictionaryArray<Int8Type> = vec![Some("x"), None, Some("b")].into_iter().collect();
    let arrays: [Arc<dyn Array>; 4] = [
        Arc::new(StringArray::from(vec![Some("a"), None, Some("b")])),
        Arc::new(LargeStringArray::from(vec![Some("a"), None, Some("b")])),
        Arc::new(StringViewArray::from(vec![Some("a"), None, Some("b")])),
        Arc::new(dictionary),
    ];
    for array in arrays {
        assert_eq!(from_array(&array, 1, &string).unwrap(), None);
        assert_eq!(from_array(&array, 2, &string).unwrap(), Some(Value::String("b".into())));
    }
    let views = BinaryViewArray::from(vec![b"abcd".as_slice()]);
    let fixed = |length| from_array(&views, 0, &PrimitiveType::Fixed(length).into());
    assert_eq!(fixed(4).unwrap(), Some(Value::Fixed(b"abcd".to_vec())));
    assert_eq!(fixed(3).unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn promoted_types_read_what_was_written_before() {
    let ints = Int32Array::from(vec![-3]);
    assert_eq!(from_array(&ints, 0, &PrimitiveType::Long.into()).unwrap(), Some(Value::Long(-3)));
    assert_eq!(from_array(&ints, 0, &PrimitiveType::Date.into()).unwrap(), Some(Value::Date(-3)));
    assert_eq!(
        from_array(&ints, 0, &PrimitiveType::String.into()).unwrap_err().kind(),
        ErrorKind::InvalidInput
    );
    assert!(from_array(&ints, 1, &PrimitiveType::Int.into()).is_err());
}

#[test]
fn arrays_that_would_be_too_large_are_refused() {
    let fixed = Type::Primitive(PrimitiveType::Fixed(i32::MAX as u32));
    assert_eq!(to_array(None, &fixed, 8_192).unwrap_err().kind(), ErrorKind::LimitExceeded);
    assert_eq!(values_to_array(&[None], &fixed).unwrap_err().kind(), ErrorKind::LimitExceeded);
    let text = Value::String("x".repeat(1 << 20));
    let error = to_array(Some(&text), &PrimitiveType::String.into(), 1 << 12).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
}

#[test]
fn values_of_another_type_are_refused() {
    let error = to_array(Some(&Value::Long(1)), &PrimitiveType::Int.into(), 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(to_array(Some(&Value::Int(1)), &map_of_lists(), 1).is_err());
    assert_eq!(
        to_array(None, &Type::Unrecognized("x".into()), 1).unwrap_err().kind(),
        ErrorKind::Unsupported
    );
}

proptest! {
    #[test]
    fn every_value_reads_back((primitive, value) in typed_value(), len in 1_usize..4) {
        let field_type = Type::Primitive(primitive);
        let array = to_array(Some(&value), &field_type, len).unwrap();
        prop_assert_eq!(array.len(), len);
        prop_assert_eq!(array.data_type(), &type_to_arrow(&field_type).unwrap());
        prop_assert_eq!(from_array(&array, len - 1, &field_type).unwrap(), Some(value));
    }
}
