use std::sync::Arc;

use arrow_array::builder::StringRunBuilder;
use arrow_array::types::{Decimal128Type, Int16Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Decimal128Array, FixedSizeBinaryArray, Float32Array,
    Float64Array, Int8Array, Int32Array, Int64Array, NullArray, PrimitiveArray, StringArray, UInt32Array,
    UInt64Array,
};
use arrow_schema::extension::{EXTENSION_TYPE_METADATA_KEY, EXTENSION_TYPE_NAME_KEY};
use arrow_schema::{DataType, Field as ArrowField, Metadata, Schema as ArrowSchema};
use proptest::prelude::*;
use serde_json::json;

use super::super::Matching;
use super::{batch, cast, converted, of_type, refusal};

fn texts() -> ArrayRef {
    Arc::new(StringArray::from(vec![Some("a"), None, Some("a longer text than fits a view")]))
}

#[test]
fn every_form_of_text_is_written_out() {
    let dictionary = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::LargeUtf8));
    for form in [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View, dictionary] {
        let made = converted("string", cast(&texts(), &form)).unwrap();
        assert_eq!(made.as_ref(), texts().as_ref(), "{form}");
    }
    let mut runs = StringRunBuilder::<Int16Type>::new();
    runs.extend([Some("a"), Some("a"), None, Some("b")]);
    let made = converted("string", Arc::new(runs.finish())).unwrap();
    assert_eq!(made.as_ref(), &StringArray::from(vec![Some("a"), Some("a"), None, Some("b")]));
}

#[test]
fn every_form_of_bytes_is_written_out() {
    let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![Some(b"a".as_slice()), None, Some(b"bcd")]));
    for form in [DataType::LargeBinary, DataType::BinaryView] {
        assert_eq!(converted("binary", cast(&bytes, &form)).unwrap().as_ref(), bytes.as_ref(), "{form}");
    }
    let fixed = FixedSizeBinaryArray::try_from_iter([[1_u8, 2], [3, 4]].iter()).unwrap();
    assert_eq!(
        converted("binary", Arc::new(fixed)).unwrap().as_ref(),
        &BinaryArray::from(vec![b"\x01\x02".as_slice(), b"\x03\x04"])
    );
}

#[test]
fn a_slice_of_large_text_brings_nothing_of_its_neighbours() {
    let large = cast(&texts(), &DataType::LargeUtf8).slice(2, 1);
    let made = converted("string", large).unwrap();
    assert_eq!(made.as_ref(), texts().slice(2, 1).as_ref());
    assert_eq!(made.to_data().buffers()[1].len(), "a longer text than fits a view".len());
}

#[test]
fn numbers_widen_where_no_value_is_lost() {
    let made = |name: &str, array: ArrayRef| converted(name, array).unwrap();
    assert_eq!(made("int", Arc::new(Int8Array::from(vec![-1]))).as_ref(), &Int32Array::from(vec![-1]));
    assert_eq!(
        made("long", Arc::new(UInt32Array::from(vec![u32::MAX]))).as_ref(),
        &Int64Array::from(vec![4_294_967_295])
    );
    assert_eq!(
        made("double", Arc::new(Float32Array::from(vec![0.5]))).as_ref(),
        &Float64Array::from(vec![0.5])
    );
    assert_eq!(
        made("double", Arc::new(Int32Array::from(vec![i32::MIN]))).as_ref(),
        &Float64Array::from(vec![-2_147_483_648.0])
    );
    let decimal = Decimal128Array::from(vec![1_250]).with_precision_and_scale(12, 2).unwrap();
    assert_eq!(
        made("decimal(14,4)", Arc::new(decimal)).as_ref(),
        &Decimal128Array::from(vec![125_000]).with_precision_and_scale(14, 4).unwrap()
    );
    assert_eq!(
        made("decimal(12,2)", Arc::new(Int32Array::from(vec![-7]))).as_ref(),
        &Decimal128Array::from(vec![-700]).with_precision_and_scale(12, 2).unwrap()
    );
}

#[test]
fn nothing_is_narrowed_parsed_or_guessed() {
    for (wanted, array) in [
        ("float", Arc::new(Int64Array::from(vec![1])) as ArrayRef),
        ("float", Arc::new(Float64Array::from(vec![0.5]))),
        ("double", Arc::new(Int64Array::from(vec![1]))),
        ("long", texts()),
        ("string", Arc::new(Int64Array::from(vec![1]))),
        ("boolean", Arc::new(Int8Array::from(vec![1]))),
        ("date", Arc::new(Int32Array::from(vec![1]))),
        ("binary", texts()),
        ("fixed[3]", Arc::new(FixedSizeBinaryArray::try_from_iter([[1_u8, 2]].iter()).unwrap())),
        ("decimal(9,2)", Arc::new(Int32Array::from(vec![1]))),
        ("decimal(9,2)", Arc::new(Decimal128Array::from(vec![1]).with_precision_and_scale(9, 3).unwrap())),
        ("unknown", Arc::new(BooleanArray::from(vec![true]))),
    ] {
        let table = of_type(&json!(wanted), false);
        assert!(refusal(&table, &batch(vec![("x", array)])).contains("in the table: "), "{wanted}");
    }
}

#[test]
fn arrows_null_type_is_null_in_any_column() {
    for name in ["int", "string", "unknown", "uuid", "timestamp_ns"] {
        let made = converted(name, Arc::new(NullArray::new(2))).unwrap();
        assert_eq!((made.len(), made.logical_null_count()), (2, 2), "{name}");
    }
}

#[test]
fn a_decimal_of_too_many_digits_is_told_by_its_row() {
    let decimals: PrimitiveArray<Decimal128Type> = Decimal128Array::from(vec![Some(99), None, Some(100)]);
    let decimals = decimals.with_data_type(DataType::Decimal128(2, 0));
    let message = refusal(&of_type(&json!("decimal(2,0)"), false), &batch(vec![("x", Arc::new(decimals))]));
    assert!(message.contains("more than 2 digits") && message.contains("column: x, row: 2"), "{message}");
}

#[test]
fn places_of_other_coordinates_are_refused() {
    let input = |parameters: &str| {
        let metadata = Metadata::new()
            .with(EXTENSION_TYPE_NAME_KEY, "geoarrow.wkb")
            .with(EXTENSION_TYPE_METADATA_KEY, parameters);
        ArrowSchema::new(vec![ArrowField::new("x", DataType::BinaryView, true).with_metadata(metadata)])
    };
    let geometry = of_type(&json!("geometry(EPSG:3857)"), false);
    assert!(Matching::new(&geometry, &input(r#"{"crs": "EPSG:3857"}"#)).is_ok());
    assert!(Matching::new(&geometry, &input("{}")).is_ok());
    let other = Matching::new(&geometry, &input(r#"{"crs": "OGC:CRS84"}"#)).unwrap_err();
    assert!(other.message().contains("the table's coordinates"), "{other}");
    let curved = Matching::new(&geometry, &input(r#"{"crs": "EPSG:3857", "edges": "spherical"}"#));
    assert!(curved.is_err());
}

#[test]
fn wider_integers_are_taken_where_each_fits() {
    let made = converted("int", Arc::new(Int64Array::from(vec![Some(-1), None, Some(i64::from(i32::MAX))])));
    assert_eq!(made.unwrap().as_ref(), &Int32Array::from(vec![Some(-1), None, Some(i32::MAX)]));
    let made = converted("long", Arc::new(UInt64Array::from(vec![7])));
    assert_eq!(made.unwrap().as_ref(), &Int64Array::from(vec![7]));
    let wide: ArrayRef = Arc::new(UInt64Array::from(vec![0, u64::MAX]));
    for (name, said) in [("int", "the column is int32"), ("long", "the column is int64")] {
        let message = refusal(&of_type(&json!(name), false), &batch(vec![("x", Arc::clone(&wide))]));
        assert!(message.contains("is 18446744073709551615") && message.contains(said), "{message}");
        assert!(message.contains("column: x, row: 1"), "{message}");
    }
}

#[test]
fn what_is_no_geometry_is_refused() {
    let point = [&[1, 1, 0, 0, 0][..], &[0; 16]].concat();
    for name in ["geometry", "geography"] {
        let good: ArrayRef = Arc::new(BinaryArray::from(vec![Some(point.as_slice()), None]));
        for form in [DataType::Binary, DataType::LargeBinary, DataType::BinaryView] {
            assert_eq!(converted(name, cast(&good, &form)).unwrap().as_ref(), good.as_ref(), "{form}");
        }
        let wrong: ArrayRef = Arc::new(BinaryArray::from(vec![point.as_slice(), b"POINT (1 2)"]));
        let message = refusal(&of_type(&json!(name), false), &batch(vec![("x", wrong)]));
        assert!(message.contains("is not a geometry") && message.contains("column: x, row: 1"), "{message}");
    }
}

proptest! {
    #[test]
    fn the_form_does_not_change_the_values(values in proptest::collection::vec(proptest::option::of(".{0,20}"), 0..50), cut in 0_usize..50) {
        let plain: ArrayRef = Arc::new(StringArray::from(values));
        let cut = cut.min(plain.len());
        let part = plain.slice(cut, plain.len() - cut);
        let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        for form in [DataType::LargeUtf8, DataType::Utf8View, dictionary] {
            let made = converted("string", cast(&plain, &form).slice(cut, part.len())).unwrap();
            prop_assert_eq!(made.as_ref(), part.as_ref());
        }
    }

    #[test]
    fn integers_stay_the_same_numbers(values in proptest::collection::vec(proptest::option::of(any::<i32>()), 0..50)) {
        let narrow: PrimitiveArray<Int32Type> = Int32Array::from(values.clone());
        let wide = values.into_iter().map(|value| value.map(i64::from)).collect::<Int64Array>();
        let made = converted("long", Arc::new(narrow)).unwrap();
        prop_assert_eq!(made.as_ref(), &wide as &dyn Array);
    }
}
