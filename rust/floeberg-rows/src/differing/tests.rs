use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int32Array};

use super::differing_rows;

#[test]
fn rows_differ_where_a_value_does() {
    let numbers = |values: &[Option<i32>]| -> ArrayRef { Arc::new(Int32Array::from(values.to_vec())) };
    let left = [numbers(&[Some(1), None, Some(3), None]), numbers(&[Some(1), Some(1), Some(1), Some(1)])];
    let right = [numbers(&[Some(1), None, Some(4), Some(0)]), numbers(&[Some(1), Some(2), Some(1), Some(1)])];
    let differ: Vec<bool> = differing_rows(&left, &right, 4).iter().collect();
    assert_eq!(differ, [false, true, true, true]);
    let nan: ArrayRef = Arc::new(Float64Array::from(vec![f64::NAN, 0.0]));
    let other: ArrayRef = Arc::new(Float64Array::from(vec![f64::NAN, -0.0]));
    let differ: Vec<bool> = differing_rows(&[nan], &[other], 2).iter().collect();
    assert_eq!(differ, [false, true]);
}
