#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::{bytes, small_number};

#[test]
fn a_budget_is_written_in_bytes_or_with_a_unit() {
    assert_eq!(bytes("M", "1000").unwrap(), 1000);
    assert_eq!(bytes("M", "3k").unwrap(), 3 << 10);
    assert_eq!(bytes("M", " 2G ").unwrap(), 2 << 30);
}

#[test]
fn a_budget_that_is_not_a_positive_number_is_refused_with_its_text() {
    for text in ["", "0", "-1", "G", "1.5G", "99999999999999G", "many"] {
        let error = bytes("FLOEBERG_MEMORY", text).unwrap_err();
        assert!(error.to_string().contains("FLOEBERG_MEMORY"), "{error}");
    }
}

#[test]
fn no_number_of_threads_starves_the_machine() {
    assert_eq!(small_number("FLOEBERG_THREADS", " 8 ").unwrap(), 8);
    assert_eq!(small_number("FLOEBERG_THREADS", "18446744073709551615").unwrap(), 1024);
    assert!(small_number("FLOEBERG_THREADS", "0").unwrap_err().to_string().contains("FLOEBERG_THREADS"));
}
