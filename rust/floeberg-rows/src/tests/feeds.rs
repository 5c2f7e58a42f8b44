use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array};

use super::{batch, numbers, texts};
use crate::{ChangeFeed, LastChanges};

fn feed() -> ChangeFeed {
    ChangeFeed { keys: vec!["id".to_owned()], operation: "op".to_owned(), order_by: vec!["at".to_owned()] }
}

fn last(ids: ArrayRef, operations: &[&str], order: &[Option<i32>]) -> floeberg_core::Result<LastChanges> {
    feed().last(&batch(vec![("id", ids), ("op", texts(operations)), ("at", numbers(order))]))
}

#[test]
fn the_last_change_of_a_key_counts_whatever_the_order_of_rows() {
    let ids = numbers(&[Some(1), Some(2), Some(1), Some(2), Some(3)]);
    let found = last(
        ids,
        &["DELETE", "insert", "insert", "delete", "Update"],
        &[Some(9), Some(1), Some(2), Some(5), Some(0)],
    );
    assert_eq!(found.unwrap(), LastChanges { present: vec![4], deleted: vec![0, 3] });
}

#[test]
fn the_old_row_of_an_update_comes_before_the_new_one() {
    let found = last(numbers(&[Some(1), Some(1)]), &["update_after", "update_before"], &[Some(1), Some(1)]);
    assert_eq!(found.unwrap(), LastChanges { present: vec![0], deleted: vec![] });
}

#[test]
fn keys_that_are_equal_are_one() {
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![f64::NAN, -f64::NAN, 0.0, -0.0]));
    let found = last(floats, &["insert"; 4], &[Some(1), Some(2), Some(1), Some(2)]);
    let mut present = found.unwrap().present;
    present.sort_unstable();
    assert_eq!(present, [1, 3]);
    let found = last(numbers(&[None, None]), &["insert"; 2], &[Some(1), Some(2)]);
    assert_eq!(found.unwrap().present, [1]);
}

#[test]
fn what_the_order_leaves_open_is_an_error() {
    let tied = last(numbers(&[Some(1), Some(1)]), &["insert", "delete"], &[Some(1), Some(1)]).unwrap_err();
    assert!(tied.message().contains("id = 1"), "{tied}");
    let null = last(numbers(&[Some(1)]), &["insert"], &[None]).unwrap_err();
    assert!(null.message().contains("order_by"), "{null}");
    let word = last(numbers(&[Some(1)]), &["upsert"], &[Some(1)]).unwrap_err();
    assert!(word.message().contains("'upsert'"), "{word}");
}
