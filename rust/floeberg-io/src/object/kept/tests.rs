#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use bytes::Bytes;

use super::{Kept, KeptObject, Key, MOST_BYTES};
use crate::object::Kind;
use crate::options::StoreOptions;

fn key(path: &str) -> Key {
    Key { kind: Kind::S3, bucket: "b".to_owned(), path: path.to_owned(), options: Arc::default() }
}

fn whole(bytes: impl Into<Bytes>) -> KeptObject {
    let end = bytes.into();
    KeptObject { size: end.len() as u64, version: None, end }
}

fn kept_bytes(kept: &Kept) -> u64 {
    let state = kept.lock();
    state.new.values().chain(state.old.values()).map(|kept| kept.end.len() as u64).sum()
}

#[test]
fn what_was_used_last_is_kept_within_the_bytes() {
    let kept = Kept::default();
    let large = Bytes::from(vec![1; 4 << 20]);
    kept.put(key("used"), whole("x"));
    for number in 0..100 {
        kept.put(key(&number.to_string()), whole(large.clone()));
        assert_eq!(kept.get(&key("used")).unwrap().end, "x", "after {number}");
        assert!(kept_bytes(&kept) <= MOST_BYTES);
    }
    assert!(kept.get(&key("99")).is_some() && kept.get(&key("0")).is_none());
}

#[test]
fn what_is_forgotten_or_has_other_options_is_not_kept() {
    let kept = Kept::default();
    kept.put(key("f"), whole("x"));
    let other = Key { options: Arc::new(StoreOptions::from_iter([("s3.region", "r")])), ..key("f") };
    assert!(kept.get(&other).is_none());
    kept.forget(&key("f"));
    assert!(kept.get(&key("f")).is_none());
}
