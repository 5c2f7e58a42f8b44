#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod failures;
mod server;
mod settings;
mod sized;
mod writing;

use std::sync::Arc;
use std::thread;

use bytes::Bytes;
use floeberg_core::ErrorKind;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore as Client, ObjectStoreExt};

use super::{Kind, ObjectStore, process};
use crate::options::StoreOptions;
use crate::renewal;
use crate::store::{Entry, Store};

/// A store whose bucket `bucket` is in memory and holds these objects.
fn store(bucket: &str, objects: &[(&str, Bytes)]) -> ObjectStore {
    let memory = Arc::new(InMemory::new());
    let options = Arc::new(StoreOptions::new());
    let process = process::current().unwrap();
    for (key, bytes) in objects.iter().cloned() {
        let (memory, path) = (memory.clone(), Path::parse(key).unwrap());
        process
            .start_change(
                super::requests::Requests::new(1),
                async move { memory.put(&path, bytes.into()).await },
            )
            .outcome()
            .unwrap()
            .unwrap();
    }
    let client: Arc<dyn Client> = memory;
    process.substitute(Kind::S3, bucket, &options, client);
    ObjectStore::new(Kind::S3, options, Arc::default())
}

fn bytes(length: usize) -> Bytes {
    (0..length).map(|index| (index % 251) as u8).collect::<Vec<_>>().into()
}

#[test]
fn requests_are_made_with_the_options_that_hold_now() {
    let options = |token: &str, end: &str| {
        let end = ("s3.session-token-expires-at-ms", end);
        Arc::new(StoreOptions::from_iter([
            (crate::options::PROVIDER, "m:f"),
            ("s3.session-token", token),
            end,
        ]))
    };
    let (ended, new) = (options("old", "1"), options("new", "4102444800000"));
    let (memory, path): (Arc<InMemory>, _) = (Arc::default(), Path::parse("a/b").unwrap());
    let process = process::current().unwrap();
    let writing = memory.clone();
    process
        .start_change(super::requests::Requests::new(1), async move { writing.put(&path, "x".into()).await })
        .outcome()
        .unwrap()
        .unwrap();
    process.substitute(Kind::S3, "renewed", &new, memory);
    let reading = thread::spawn({
        let ended = ended.clone();
        move || ObjectStore::new(Kind::S3, ended, Arc::default()).exists("s3://renewed/a/b").unwrap()
    });
    while !reading.is_finished() {
        for first in renewal::wanted() {
            assert_eq!(first, *ended);
            renewal::renewed(&first, Ok(new.as_ref().clone()));
        }
        thread::yield_now();
    }
    assert!(reading.join().unwrap());
}

#[test]
fn ranges_near_and_far_are_answered_in_the_order_asked() {
    let content = bytes(40_000_000);
    let store = store("ranges", &[("a/b", content.clone())]);
    let source = store.open("s3://ranges/a/b").unwrap();
    let mut wanted: Vec<_> =
        (0..40_u64).map(|index| index * 1_000_000..index * 1_000_000 + 10).rev().collect();
    wanted.extend([5..5, 0..20_000_000, 39_999_999..40_000_000]);
    let expected: Vec<_> =
        wanted.iter().map(|range| content.slice(range.start as usize..range.end as usize)).collect();
    assert!(source.read_ranges(&wanted).unwrap() == expected);
    assert_eq!(source.read(3..7).unwrap(), content.slice(3..7));
    assert_eq!(source.size().unwrap(), 40_000_000);
    assert!(source.read_all(40_000_000).unwrap() == content);
}

#[test]
fn a_range_past_the_end_is_an_error_that_names_file_range_and_size() {
    let store = store("past", &[("f", bytes(10)), ("empty", bytes(0))]);
    for range in [5..11, 10..11, 99..100] {
        let source = store.open("s3://past/f").unwrap();
        let error = source.read(range.clone()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
        let text = format!("expected the bytes {range:?}, found a file of 10 bytes (path: s3://past/f)");
        assert_eq!(error.to_string(), text);
        assert_eq!(source.read_ranges(&[0..3, range]).unwrap_err().kind(), ErrorKind::InvalidData);
    }
    let source = store.open("s3://past/empty").unwrap();
    assert_eq!(source.read_all(0).unwrap(), "");
    assert_eq!(source.read(0..0).unwrap(), "");
    assert_eq!(source.read(0..1).unwrap_err().kind(), ErrorKind::InvalidData);
}

#[test]
fn a_file_above_the_limit_is_not_read() {
    let source = store("limit", &[("f", bytes(10))]).open("s3://limit/f").unwrap();
    assert_eq!(source.read_all(9).unwrap_err().kind(), ErrorKind::LimitExceeded);
    assert_eq!(source.read_all(10).unwrap().len(), 10);
}

#[test]
fn hostile_keys_are_asked_for_as_they_are_written() {
    let keys = ["a%2Fb", "a b", "p=*", "🧊", "x...", "a?b#c", "a\\b", "x:y", "~", "%", "[x]"];
    let objects: Vec<_> = keys.iter().map(|key| (*key, Bytes::from(*key))).collect();
    let store = store("hostile", &objects);
    for key in keys {
        let source = store.open(&format!("s3://hostile/{key}")).unwrap();
        assert_eq!(source.read_all(99).unwrap(), key);
    }
    for key in ["a//b", "/a", "a/../b", "./a", "a\nb", "a/"] {
        let error = store.open(&format!("s3://hostile/{key}")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{key}");
    }
}

#[test]
fn what_is_no_object_is_not_opened() {
    let store = store("none", &[("f", bytes(1))]);
    assert_eq!(store.open("s3://none").unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(store.open("s3:///f").unwrap_err().kind(), ErrorKind::InvalidInput);
    let error = store.open("s3://none/g").unwrap().read(0..1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(error.to_string(), "the file does not exist (path: s3://none/g)");
    assert!(store.exists("s3://none/f").unwrap());
    assert!(!store.exists("s3://none").unwrap());
    assert!(!store.exists("s3://none/g").unwrap());
}

#[test]
fn a_folder_lists_what_is_directly_in_it() {
    let store =
        store("list", &[("t/a b", bytes(3)), ("t/sub/x", bytes(1)), ("t/sub/y", bytes(1)), ("tt", bytes(1))]);
    let file = Entry { name: "a b".to_owned(), is_folder: false, size: 3 };
    let sub = Entry { name: "sub".to_owned(), is_folder: true, size: 0 };
    for folder in ["s3://list/t", "s3://list/t/"] {
        assert_eq!(store.list(folder).unwrap(), [sub.clone(), file.clone()]);
    }
    assert_eq!(store.list("s3://list").unwrap().len(), 2);
    assert_eq!(store.list("s3://list/none").unwrap(), []);
}
