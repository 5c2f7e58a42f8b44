use crate::value::{PartitionKey, Value, equal_for_partition};

fn key(texts: [&str; 2]) -> PartitionKey {
    PartitionKey::new(texts.map(|text| Value::String(text.into())).iter().map(Some))
}

#[test]
fn zeros_of_different_sign_differ_and_all_nans_are_one() {
    assert!(!equal_for_partition(Some(&Value::Double(-0.0)), Some(&Value::Double(0.0))));
    let other_nan = f64::from_bits(0xfff8_0000_0000_0001);
    assert!(equal_for_partition(Some(&Value::Double(f64::NAN)), Some(&Value::Double(other_nan))));
    assert!(equal_for_partition(Some(&Value::Float(f32::NAN)), Some(&Value::Float(-f32::NAN))));
}

#[test]
fn null_equals_null_only() {
    assert!(equal_for_partition(None, None));
    assert!(!equal_for_partition(None, Some(&Value::String(String::new()))));
}

#[test]
fn values_from_before_a_promotion_are_equal() {
    assert!(equal_for_partition(Some(&Value::Int(-5)), Some(&Value::Long(-5))));
    assert!(equal_for_partition(Some(&Value::Float(0.5)), Some(&Value::Double(0.5))));
    assert!(equal_for_partition(Some(&Value::Int(17_000)), Some(&Value::Date(17_000))));
}

#[test]
fn neighbouring_values_do_not_run_together() {
    assert_ne!(key(["ab", "c"]), key(["a", "bc"]));
    assert_eq!(key(["ab", "c"]), key(["ab", "c"]));
}
