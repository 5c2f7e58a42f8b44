use std::sync::Arc;

use floeberg_core::ErrorKind;

use crate::object::failure::{describe, without_secrets};
use crate::object::{Kind, ObjectStore};
use crate::options::StoreOptions;
use crate::store::Store;

fn options() -> StoreOptions {
    StoreOptions::from_iter([
        ("s3.secret-access-key", "hunter2hunter2"),
        ("s3.endpoint", "http://host:9000"),
        ("s3.region", "eu-north-1"),
    ])
}

#[test]
fn messages_hold_no_query_no_user_and_no_secret_option() {
    let text =
        "GET http://me:pw@host:9000/b/k?X-Amz-Signature=s (hunter2hunter2) \"https://h/x?y\" eu-north-1";
    let clean = without_secrets(text, &options());
    assert_eq!(clean, "GET http://host:9000/b/k (***) \"https://h/x\" eu-north-1");
    assert!(without_secrets(&"é".repeat(5000), &options()).len() < 2000);
}

#[test]
fn an_open_file_prints_no_query() {
    let store = ObjectStore::new(Kind::Http, Arc::new(options()), Arc::default());
    let source = store.open("https://u:p@h/k?sig=1").unwrap();
    assert_eq!(format!("{source:?}"), "ObjectFile { object: Object(https://h/k), size: None, .. }");
    assert!(!format!("{store:?}").contains("hunter2"));
}

#[test]
fn errors_of_the_library_become_kinds() {
    let source = || Box::<dyn std::error::Error + Send + Sync>::from("https://h/k?sig=1");
    let path = String::new;
    let cases = [
        (object_store::Error::NotFound { path: path(), source: source() }, ErrorKind::NotFound, false),
        (
            object_store::Error::PermissionDenied { path: path(), source: source() },
            ErrorKind::PermissionDenied,
            false,
        ),
        (
            object_store::Error::Unauthenticated { path: path(), source: source() },
            ErrorKind::PermissionDenied,
            false,
        ),
        (object_store::Error::Generic { store: "S3", source: source() }, ErrorKind::Storage, true),
    ];
    for (error, kind, retryable) in cases {
        let described = describe(&error, "https://u:p@h/k?sig=1", &options());
        assert_eq!((described.kind(), described.is_retryable()), (kind, retryable));
        let text = format!("{described:?} {described}");
        assert!(!text.contains("sig=1") && !text.contains("u:p"), "{text}");
        assert!(text.contains("(path: https://h/k)"), "{text}");
    }
}
