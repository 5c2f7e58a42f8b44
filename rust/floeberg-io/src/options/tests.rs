#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use floeberg_core::ErrorKind;

use super::StoreOptions;

fn options() -> StoreOptions {
    StoreOptions::from_iter([
        ("s3.region", "eu-north-1"),
        ("s3.secret-access-key", "hunter2"),
        ("s3.endpoint", "http://me:hunter2@host"),
        ("AWS_SECRET_ACCESS_KEY", "hunter2"),
        ("s3.anonymous", "True"),
        ("io.retries", "3"),
    ])
}

#[test]
fn printing_shows_no_value_that_may_be_a_secret() {
    for text in [format!("{}", options()), format!("{:?}", options()), format!("{:#?}", options())] {
        assert!(!text.contains("hunter2"), "{text}");
        assert!(text.contains("s3.secret-access-key") && text.contains("eu-north-1"), "{text}");
    }
}

#[test]
fn flags_and_numbers_are_checked_and_never_printed() {
    assert!(options().flag("s3.anonymous").unwrap());
    assert!(!options().flag("s3.path-style-access").unwrap());
    assert_eq!(options().number("io.retries").unwrap(), Some(3.0));
    assert_eq!(options().number("absent").unwrap(), None);
    let error = options().flag("s3.secret-access-key").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(!error.to_string().contains("hunter2"), "{error}");
    let odd = StoreOptions::from_iter([("a", "-1"), ("b", "inf"), ("c", "x")]);
    for key in ["a", "b", "c"] {
        assert_eq!(odd.number(key).unwrap_err().kind(), ErrorKind::InvalidInput, "{key}");
    }
}
