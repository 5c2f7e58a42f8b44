use floeberg_core::value::Value;

use super::super::summary::Summaries;
use crate::manifest::FieldSummary;

fn summary(values: &[Option<Value>]) -> FieldSummary {
    let mut summaries = Summaries::new(1);
    for value in values {
        summaries.add(std::slice::from_ref(value));
    }
    summaries.finish().unwrap().remove(0)
}

fn of(contains_null: bool, contains_nan: bool, bounds: Option<(Vec<u8>, Vec<u8>)>) -> FieldSummary {
    let (lower_bound, upper_bound) = bounds.unzip();
    FieldSummary { contains_null, contains_nan: Some(contains_nan), lower_bound, upper_bound }
}

#[test]
fn nulls_and_nans_are_no_bounds() {
    let double = |value: f64| Some(Value::Double(value));
    assert_eq!(summary(&[]), of(false, false, None));
    assert_eq!(summary(&[None, double(f64::NAN)]), of(true, true, None));
    let bounds = (1_f64.to_le_bytes().to_vec(), f64::INFINITY.to_le_bytes().to_vec());
    let found = summary(&[double(f64::NAN), double(2.0), double(f64::INFINITY), double(1.0)]);
    assert_eq!(found, of(false, true, Some(bounds)));
}

#[test]
fn a_negative_zero_is_below_a_positive_one() {
    let bounds = (of_float(-0.0), of_float(0.0));
    for zeros in [[0.0, -0.0], [-0.0, 0.0]] {
        let found = summary(&zeros.map(|zero| Some(Value::Float(zero))));
        assert_eq!(found, of(false, false, Some(bounds.clone())), "{zeros:?}");
    }
}

fn of_float(value: f32) -> Vec<u8> {
    value.to_le_bytes().to_vec()
}

#[test]
fn bounds_are_by_the_order_of_the_type() {
    let texts = ["b", "é", "B", "🐢", "a"].map(|text| Some(Value::String(text.to_owned())));
    let bounds = ("B".as_bytes().to_vec(), "🐢".as_bytes().to_vec());
    assert_eq!(summary(&texts), of(false, false, Some(bounds)));
    let days = [3, -7, 5].map(|day| Some(Value::Date(day)));
    let bounds = ((-7_i32).to_le_bytes().to_vec(), 5_i32.to_le_bytes().to_vec());
    assert_eq!(summary(&days), of(false, false, Some(bounds)));
    let bytes = [vec![0x7f], vec![0x80], vec![]].map(|bytes| Some(Value::Binary(bytes)));
    assert_eq!(summary(&bytes), of(false, false, Some((vec![], vec![0x80]))));
}
