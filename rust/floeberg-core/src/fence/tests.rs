#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::fenced;
use crate::error::{Error, ErrorKind, Result};

#[test]
fn a_panic_is_an_error_that_says_what_the_panic_said() {
    let number = 7;
    for (error, said) in [
        (fenced(|| -> Result<()> { panic!("plain words") }).unwrap_err(), "plain words"),
        (fenced(|| -> Result<()> { panic!("the number {number}") }).unwrap_err(), "the number 7"),
        (fenced(|| -> Result<()> { std::panic::panic_any(7) }).unwrap_err(), "no reason given"),
    ] {
        assert_eq!(error.kind(), ErrorKind::Internal);
        assert!(error.message().ends_with(said), "{error}");
    }
}

#[test]
fn results_pass_as_they_are() {
    assert_eq!(fenced(|| Ok(5)).unwrap(), 5);
    assert_eq!(fenced(|| Err::<(), _>(Error::invalid_data("x"))).unwrap_err().kind(), ErrorKind::InvalidData);
}
