use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, DictionaryArray, Int32Array, Int64Array, LargeStringArray, NullArray,
    StringArray, StringViewArray, TimestampMillisecondArray,
};
use proptest::prelude::*;

use crate::arrow_values::{from_array, values_to_array};
use crate::error::ErrorKind;
use crate::schema::{PrimitiveType, Type};
use crate::transform::Transform;
use crate::value::Value;
use crate::value::tests::strategies::typed_value;

const STRING: Type = Type::Primitive(PrimitiveType::String);

fn transforms() -> Vec<Transform> {
    let names = ["identity", "bucket[7]", "truncate[3]", "year", "month", "day", "hour", "void"];
    names.into_iter().map(|name| name.parse().unwrap()).collect()
}

fn values(array: &dyn Array, field_type: &Type) -> Vec<Option<Value>> {
    (0..array.len()).map(|row| from_array(array, row, field_type).unwrap()).collect()
}

#[test]
fn every_form_of_strings_and_binary_gives_the_same() {
    let texts = vec![Some("iceberg"), None, Some("é\u{1f600}xyz"), Some("")];
    let dictionary: DictionaryArray<Int32Type> = texts.clone().into_iter().collect();
    let forms: [ArrayRef; 4] = [
        Arc::new(StringArray::from(texts.clone())),
        Arc::new(LargeStringArray::from(texts.clone())),
        Arc::new(StringViewArray::from(texts)),
        Arc::new(dictionary),
    ];
    let string = |text: &str| Some(Value::String(text.into()));
    for form in forms {
        let truncated = Transform::Truncate(3).apply_array(&form, &STRING).unwrap();
        assert_eq!(values(&truncated, &STRING), [string("ice"), None, string("é\u{1f600}x"), string("")]);
        let buckets = Transform::Bucket(16).apply_array(&form, &STRING).unwrap();
        // 1210000089 % 16
        assert_eq!(values(&buckets, &PrimitiveType::Int.into())[..2], [Some(Value::Int(9)), None]);
    }
    let views = BinaryViewArray::from(vec![b"abcd".as_slice()]);
    let cut = Transform::Truncate(2).apply_array(&views, &PrimitiveType::Binary.into()).unwrap();
    assert_eq!(values(&cut, &PrimitiveType::Binary.into()), [Some(Value::Binary(b"ab".to_vec()))]);
}

#[test]
fn a_sliced_array_is_transformed_from_its_first_row() {
    let array = Int64Array::from(vec![Some(1), None, Some(34)]).slice(1, 2);
    let long = Type::Primitive(PrimitiveType::Long);
    let buckets = Transform::Bucket(16).apply_array(&array, &long).unwrap();
    assert_eq!(values(&buckets, &PrimitiveType::Int.into()), [None, Some(Value::Int(3))]);
}

#[test]
fn narrower_integers_and_coarser_timestamps_widen() {
    let ints = Int32Array::from(vec![34]);
    let buckets = Transform::Bucket(16).apply_array(&ints, &PrimitiveType::Long.into()).unwrap();
    assert_eq!(values(&buckets, &PrimitiveType::Int.into()), [Some(Value::Int(3))]);
    let millis = TimestampMillisecondArray::from(vec![-1]);
    let days = Transform::Day.apply_array(&millis, &PrimitiveType::Timestamp.into()).unwrap();
    assert_eq!(values(&days, &PrimitiveType::Date.into()), [Some(Value::Date(-1))]);
    assert!(Transform::Day.apply_array(&millis, &PrimitiveType::Timestamptz.into()).is_err());
}

#[test]
fn nothing_but_nulls_gives_nulls_of_the_result_type() {
    let days = Transform::Day.apply_array(&NullArray::new(2), &PrimitiveType::Date.into()).unwrap();
    assert_eq!(values(&days, &PrimitiveType::Date.into()), [None, None]);
}

#[test]
fn arrays_of_other_types_and_unknown_transforms_are_errors() {
    let ints = Int32Array::from(vec![1]);
    let kind = |transform: Transform, source: PrimitiveType| {
        transform.apply_array(&ints, &source.into()).unwrap_err().kind()
    };
    assert_eq!(kind(Transform::Truncate(3), PrimitiveType::String), ErrorKind::InvalidInput);
    assert_eq!(kind(Transform::Hour, PrimitiveType::Int), ErrorKind::InvalidInput);
    assert_eq!(kind(Transform::Unknown("zorder".into()), PrimitiveType::Int), ErrorKind::Unsupported);
}

proptest! {
    #[test]
    fn arrays_give_what_single_values_give((primitive, value) in typed_value(), null_first in any::<bool>()) {
        let source = Type::Primitive(primitive);
        let rows = if null_first { vec![None, Some(&value)] } else { vec![Some(&value)] };
        let array = values_to_array(&rows, &source).unwrap();
        for transform in transforms().into_iter().filter(|transform| transform.accepts(&source)) {
            let result = transform.apply_array(&array, &source).unwrap();
            let expected = transform.apply(&value).unwrap();
            let result_type = transform.result_type(&source).unwrap();
            prop_assert_eq!(from_array(&result, rows.len() - 1, &result_type).unwrap(), expected);
            prop_assert!(!null_first || result.is_null(0) || result.data_type() == &arrow_schema::DataType::Null);
            prop_assert_eq!(result.len(), rows.len());
        }
    }
}
