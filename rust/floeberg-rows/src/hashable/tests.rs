#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, LargeStringArray, StringArray, UInt64Array, new_empty_array};
use arrow_schema::{DataType, IntervalUnit};

use super::hashable;

#[test]
fn large_texts_and_numbers_without_a_sign_can_be_hashed() {
    let texts: ArrayRef = Arc::new(LargeStringArray::from(vec![Some("a"), None]));
    let expected: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    assert_eq!(hashable("x", &texts).unwrap().as_ref(), expected.as_ref());
    let most: ArrayRef = Arc::new(UInt64Array::from(vec![u64::MAX, 0]));
    assert_eq!(hashable("x", &most).unwrap().null_count(), 0);
}

#[test]
fn other_types_are_refused_by_name() {
    let column = new_empty_array(&DataType::Interval(IntervalUnit::DayTime));
    assert!(hashable("span", &column).unwrap_err().to_string().contains("day_time_interval"));
}
