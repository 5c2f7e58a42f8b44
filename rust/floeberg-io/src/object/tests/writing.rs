//! New objects, small and large, in a store that is in memory.

use floeberg_core::ErrorKind;

use super::{bytes, store};
use crate::object::Kind;
use crate::options::StoreOptions;
use crate::store::Store as _;

#[test]
fn objects_of_every_size_are_written_whole() {
    let store = store("sizes", &[]);
    let part = super::super::write::PART;
    for (number, size) in [0, 1, part - 1, part, part + 1, 3 * part, 5 * part + 7].into_iter().enumerate() {
        let location = format!("s3://sizes/{number}");
        let content = bytes(size);
        let mut sink = store.create(&location).unwrap();
        for piece in content.chunks(3_000_001) {
            sink.write(piece).unwrap();
        }
        assert_eq!(sink.finish().unwrap(), size as u64);
        assert!(store.open(&location).unwrap().read_all(u64::MAX).unwrap() == content);
    }
}

#[test]
fn an_object_that_is_not_finished_is_not_there() {
    let store = store("unfinished", &[]);
    let mut sink = store.create("s3://unfinished/f").unwrap();
    sink.write(&bytes(20_000_000)).unwrap();
    drop(sink);
    assert!(!store.exists("s3://unfinished/f").unwrap());
}

#[test]
fn one_object_is_put_where_there_is_none() {
    let store = store("absent", &[]);
    let location = "s3://absent/v1.metadata.json";
    store.put_if_absent(location, "one".into()).unwrap();
    let error = store.put_if_absent(location, "two".into()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert!(!error.is_outcome_unknown());
    assert_eq!(store.open(location).unwrap().read_all(9).unwrap(), "one");
    store.put(location, "three".into()).unwrap();
    assert_eq!(store.open(location).unwrap().read_all(9).unwrap(), "three");
    store.remove(location).unwrap();
    store.remove(location).unwrap();
    assert!(!store.exists(location).unwrap());
}

#[test]
fn files_of_an_http_server_are_only_read() {
    let store = super::ObjectStore::new(Kind::Http, StoreOptions::new().into(), std::sync::Arc::default());
    let location = "http://localhost/f";
    let refused = [
        store.create(location).map(drop).unwrap_err(),
        store.put_if_absent(location, "1".into()).unwrap_err(),
        store.put(location, "1".into()).unwrap_err(),
        store.remove(location).unwrap_err(),
    ];
    assert!(refused.iter().all(|error| error.kind() == ErrorKind::Unsupported));
}
