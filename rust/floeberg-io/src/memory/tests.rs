#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use floeberg_core::ErrorKind;

use super::MemoryStore;
use crate::store::Store;

#[test]
fn what_was_put_is_read_back_by_ranges() {
    let store = MemoryStore::new();
    store.put("memory://t/a%20b", "0123456789");
    let source = store.open("memory://t/a%20b").unwrap();
    assert_eq!(source.size().unwrap(), 10);
    assert_eq!(source.read_ranges(&[8..10, 0..0, 1..3]).unwrap(), ["89", "", "12"]);
    assert_eq!(source.read(8..11).unwrap_err().kind(), ErrorKind::InvalidData);
    assert_eq!(source.read_all(9).unwrap_err().kind(), ErrorKind::LimitExceeded);
    assert_eq!(store.open("memory://t/a b").unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn a_folder_is_what_its_files_share() {
    let store = MemoryStore::new();
    for name in ["a", "sub/x", "sub/y", "sub-other", "subs"] {
        store.put(format!("memory://t/{name}"), name);
    }
    let listed = |folder: &str| -> Vec<_> {
        store.list(folder).unwrap().into_iter().map(|entry| (entry.name, entry.is_folder)).collect()
    };
    let expected = [("a", false), ("sub-other", false), ("sub", true), ("subs", false)];
    assert_eq!(listed("memory://t"), expected.map(|(name, is_folder)| (name.to_owned(), is_folder)));
    assert_eq!(listed("memory://t/sub/").len(), 2);
    assert_eq!(store.list("memory://none").unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn clones_share_files_and_new_stores_do_not() {
    let store = MemoryStore::new();
    store.put("memory://x", "1");
    assert!(store.clone().exists("memory://x").unwrap());
    assert!(!MemoryStore::new().exists("memory://x").unwrap());
    assert!(store.remove("memory://x"));
    assert!(!store.remove("memory://x"));
}

#[test]
fn a_file_is_there_once_it_is_finished() {
    let store = MemoryStore::new();
    let location = "memory://t/f";
    let mut sink = store.create(location).unwrap();
    sink.write(b"01").unwrap();
    sink.write(b"2").unwrap();
    assert!(!store.exists(location).unwrap());
    let late = store.create(location).unwrap();
    assert_eq!(sink.finish().unwrap(), 3);
    assert_eq!(late.finish().unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert_eq!(store.create(location).unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert_eq!(store.put_if_absent(location, "x".into()).unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert_eq!(store.open(location).unwrap().read_all(9).unwrap(), "012");
    Store::put(&store, location, "y".into()).unwrap();
    assert_eq!(store.open(location).unwrap().read_all(9).unwrap(), "y");
    Store::remove(&store, location).unwrap();
    Store::remove(&store, location).unwrap();
    store.put_if_absent(location, "z".into()).unwrap();
    drop(store.create("memory://t/g").unwrap());
    assert!(!store.exists("memory://t/g").unwrap());
}
