//! Fields of variants are found by their paths, and are read as one type without loss.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Decimal128Type, Int64Type};
use arrow_array::{Array as _, StructArray};
use arrow_schema::DataType;

use crate::ErrorKind;
use crate::primitive::PrimitiveType as P;
use crate::value::Value;
use crate::variant::{
    Bounds, VariantPath, VariantValue as V, Variants, field_bounds, typed_field, value_in_type, variant_field,
};

fn object(fields: &[(&str, V)]) -> V {
    V::Object(fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
}

fn column(values: &[Option<V>]) -> StructArray {
    let mut variants = Variants::default();
    for value in values {
        variants.append(value.as_ref()).unwrap();
    }
    variants.finish().unwrap()
}

fn longs(values: &[Option<V>], path: &str) -> Vec<Option<i64>> {
    let path = VariantPath::parse(path).unwrap();
    let found = typed_field(&column(values), &path, &P::Long, true).unwrap();
    found.as_primitive::<Int64Type>().iter().collect()
}

#[test]
fn paths_are_names_and_indexes() {
    let cases: [(&str, Option<&[&str]>); 9] = [
        ("$", Some(&[])),
        ("$.a.b", Some(&["a", "b"])),
        ("$['a.b']['it\\'s']", Some(&["a.b", "it's"])),
        ("$[\"a b\"].c", Some(&["a b", "c"])),
        ("$['\\u0041\\n\\t']", Some(&["A\n\t"])),
        ("$['']", Some(&[""])),
        ("$.größe.数", Some(&["größe", "数"])),
        ("$.a[0]", None),
        ("$[10].b", None),
    ];
    for (text, names) in cases {
        assert_eq!(VariantPath::parse(text).unwrap().names().as_deref(), names, "{text}");
    }
    let refused = [
        "",
        "a",
        "$.",
        "$..a",
        "$a",
        "$[",
        "$[]",
        "$['a",
        "$['a'",
        "$[-1]",
        "$[1",
        "$[*]",
        "$.*",
        "$['\\u12']",
        "$['\\x']",
        "$[99999999999999999999999]",
        "$.a'b",
        "$['\\ud800']",
    ];
    for text in refused {
        let error = VariantPath::parse(text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{text}");
    }
    let deep = format!("${}", ".a".repeat(201));
    assert_eq!(VariantPath::parse(&deep).unwrap_err().kind(), ErrorKind::LimitExceeded);
}

#[test]
fn numbers_are_read_as_one_type_without_loss() {
    let decimal = |unscaled, scale| V::Decimal { unscaled, scale };
    let values = [
        Some(object(&[("a", V::Integer(5))])),
        Some(object(&[("a", V::Integer(i64::MIN))])),
        Some(object(&[("a", decimal(700, 2))])),
        Some(object(&[("a", decimal(705, 2))])),
        Some(object(&[("a", V::Double(3.0))])),
        Some(object(&[("a", V::Double(f64::NAN))])),
        Some(object(&[("a", V::Double(1e300))])),
        Some(object(&[("a", V::String("5".to_owned()))])),
        Some(object(&[("a", V::Null)])),
        Some(object(&[("b", V::Integer(1))])),
        Some(V::Integer(5)),
        None,
    ];
    let expected =
        [Some(5), Some(i64::MIN), Some(7), None, Some(3), None, None, None, None, None, None, None];
    assert_eq!(longs(&values, "$.a"), expected);
    assert_eq!(longs(&values, "$")[10], Some(5));
    let path = VariantPath::parse("$.a").unwrap();
    let error = typed_field(&column(&values[..4]), &path, &P::Long, false).unwrap_err();
    assert!(error.message().contains("a decimal where a value of type long"), "{error}");
    let wanted = P::Decimal { precision: 5, scale: 1 };
    let found = typed_field(&column(&values), &path, &wanted, true).unwrap();
    let found: Vec<_> = found.as_primitive::<Decimal128Type>().iter().collect();
    assert_eq!(found[..4], [Some(50), None, Some(70), None]);
}

#[test]
fn elements_of_arrays_are_found_by_their_numbers() {
    let values = [Some(object(&[("a", V::Array(vec![V::Integer(1), object(&[("b", V::Integer(2))])]))]))];
    assert_eq!(longs(&values, "$.a[0]"), [Some(1)]);
    assert_eq!(longs(&values, "$.a[1].b"), [Some(2)]);
    assert_eq!(longs(&values, "$.a[2]"), [None]);
    assert_eq!(longs(&values, "$[0]"), [None]);
    assert_eq!(longs(&values, "$.a.b"), [None]);
}

#[test]
fn a_field_is_a_variant_too() {
    let values =
        [Some(object(&[("a", object(&[("b", V::Integer(9))]))])), Some(object(&[("a", V::Null)])), None];
    let found = variant_field(&column(&values), &VariantPath::parse("$.a").unwrap()).unwrap();
    assert_eq!([found.is_valid(0), found.is_valid(1), found.is_valid(2)], [true, false, false]);
    let inner = typed_field(&found, &VariantPath::parse("$.b").unwrap(), &P::Long, true).unwrap();
    assert_eq!(inner.as_primitive::<Int64Type>().iter().collect::<Vec<_>>(), [Some(9), None, None]);
}

#[test]
fn bounds_of_a_field_are_found_by_its_path_and_no_damage_is_believed() {
    let bounds = |column: &DataType, value: &Value| {
        let mut bounds = Bounds::default();
        bounds.insert("$['a']", column, value).unwrap();
        bounds.insert("$['b']", &DataType::Boolean, &Value::Boolean(true)).unwrap();
        bounds.to_bytes().unwrap()
    };
    let lower = bounds(&DataType::Int16, &Value::Int(300));
    let upper = bounds(&DataType::Int16, &Value::Int(400));
    let of = |path: &str, primitive: &P| field_bounds(Some(&lower), Some(&upper), path, primitive);
    assert_eq!(of("$['a']", &P::Long), [Some(Value::Long(300)), Some(Value::Long(400))]);
    assert_eq!(of("$['a']", &P::Double), [Some(Value::Double(300.0)), Some(Value::Double(400.0))]);
    assert_eq!(of("$['b']", &P::Boolean), [Some(Value::Boolean(true)), Some(Value::Boolean(true))]);
    assert_eq!(of("$['a']", &P::String), [None, None]);
    assert_eq!(of("$['c']", &P::Long), [None, None]);
    // Bounds of two kinds describe no values.
    let other = bounds(&DataType::Int32, &Value::Int(70_000));
    assert_eq!(field_bounds(Some(&lower), Some(&other), "$['a']", &P::Long), [None, None]);
    for end in 0..lower.len() {
        assert_eq!(field_bounds(Some(&lower[..end]), None, "$['b']", &P::Long), [None, None], "{end}");
    }
    for byte in 0..lower.len() {
        for bit in 0..8 {
            let mut flipped = lower.clone();
            flipped[byte] ^= 1 << bit;
            // Whatever it says, it is no panic.
            let _ = field_bounds(Some(&flipped), Some(&upper), "$['a']", &P::Long);
        }
    }
}

#[test]
fn values_of_typed_columns_are_read_as_other_types() {
    let of = |value: Value, column: DataType, wanted: &P| value_in_type(&value, &column, wanted);
    assert_eq!(of(Value::Int(5), DataType::Int8, &P::Long), Some(Value::Long(5)));
    assert_eq!(of(Value::Long(1 << 40), DataType::Int64, &P::Int), None);
    let nanos = DataType::Timestamp(arrow_schema::TimeUnit::Nanosecond, Some(Arc::from("UTC")));
    assert_eq!(of(Value::TimestamptzNs(5_000), nanos.clone(), &P::Timestamptz), Some(Value::Timestamptz(5)));
    assert_eq!(of(Value::TimestamptzNs(5_001), nanos, &P::Timestamptz), None);
    assert_eq!(of(Value::String("x".to_owned()), DataType::Utf8, &P::Long), None);
}
