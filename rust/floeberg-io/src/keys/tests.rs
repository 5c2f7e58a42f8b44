//! Tests of keys, and of how they travel.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;
use std::sync::atomic::Ordering;

use floeberg_core::ErrorKind;

use super::management::{KeyManagement, set_key_management_opener};
use super::testing::TestManagement;
use super::{FileKey, KeyRing, Secret};

const NOW: i64 = 1_764_000_000_000;
const DAY: i64 = 24 * 60 * 60 * 1000;

fn ring(management: &Arc<TestManagement>) -> KeyRing {
    KeyRing::new(management.clone(), "master", 16)
}

#[test]
fn key_metadata_is_read_back_and_damaged_one_is_an_error() {
    let key = FileKey::random(32).unwrap().with_length(70_000);
    let bytes = key.to_bytes();
    assert_eq!(FileKey::parse(&bytes).unwrap(), key);
    for end in 0..bytes.len() {
        assert!(FileKey::parse(&bytes[..end]).is_err(), "{end}");
    }
    let mut longer = bytes.to_vec();
    longer.push(0);
    assert_eq!(FileKey::parse(&longer).unwrap_err().kind(), ErrorKind::InvalidData);
    let mut of_version_2 = bytes.to_vec();
    of_version_2[0] = 2;
    assert_eq!(FileKey::parse(&of_version_2).unwrap_err().kind(), ErrorKind::Unsupported);
    // A length of 2^62 bytes.
    let huge = [1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0];
    assert_eq!(FileKey::parse(&huge).unwrap_err().kind(), ErrorKind::InvalidData);
}

#[test]
fn nothing_prints_a_key() {
    let key = FileKey::random(16).unwrap();
    let keys = ring(&TestManagement::shared());
    keys.put("a", &key);
    let shown = format!("{key:?} {keys:?} {:?}", Secret::new(key.key().to_vec()));
    let bytes = format!("{:?}", key.key());
    assert!(!shown.contains(bytes.trim_matches(['[', ']'])), "{shown}");
}

#[test]
fn keys_of_manifest_lists_are_wrapped_by_one_key_that_is_rotated() {
    let management = TestManagement::shared();
    let keys = ring(&management);
    keys.new_key("one").unwrap();
    let first = keys.list_key("one", NOW).unwrap().unwrap();
    let [wrapping, own] = first.keys.as_slice() else { panic!("two keys") };
    assert_eq!(
        (own.key_id.as_str(), own.encrypted_by_id.as_deref()),
        (&*first.key_id, Some(&*wrapping.key_id))
    );
    assert_eq!(wrapping.encrypted_by_id.as_deref(), Some("master"));
    assert_eq!(wrapping.properties["KEY_TIMESTAMP"], NOW.to_string());
    assert_eq!(wrapping.key_id.len(), 24);
    keys.new_key("two").unwrap();
    let second = keys.list_key("two", NOW + 729 * DAY).unwrap().unwrap();
    assert_eq!(second.keys[0], *wrapping, "the same key until it is old");
    let third = keys.list_key("two", NOW + 730 * DAY).unwrap().unwrap();
    assert_ne!(third.keys[0].key_id, wrapping.key_id);
    // Another process reads them by the metadata.
    let other = ring(&management);
    other.learn(first.keys.into_iter().chain(third.keys));
    other.add_list("elsewhere/one", &first.key_id).unwrap();
    let key = |ring: &KeyRing, name: &str| ring.key_of(name).unwrap().unwrap();
    assert_eq!(key(&other, "elsewhere/one").key(), key(&keys, "one").key());
    other.add_list("two", &third.key_id).unwrap();
    assert_eq!(key(&other, "two"), key(&keys, "two"));
    assert_eq!(other.add_list("one", "absent").unwrap_err().kind(), ErrorKind::InvalidData);
}

#[test]
fn another_timestamp_or_another_master_key_decrypts_nothing() {
    let management = TestManagement::shared();
    let keys = ring(&management);
    keys.new_key("one").unwrap();
    let mut made = keys.list_key("one", NOW).unwrap().unwrap();
    let other = KeyRing::new(management.clone(), "another", 16);
    other.learn(made.keys.clone());
    assert!(other.add_list("one", &made.key_id).is_err());
    made.keys[0].properties.insert("KEY_TIMESTAMP".to_owned(), (NOW + 1).to_string());
    let tampered = ring(&management);
    tampered.learn(made.keys);
    let error = tampered.add_list("one", &made.key_id).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(error.to_string().contains("one"), "{error}");
}

#[test]
fn keys_travel_sealed_and_are_unwrapped_when_they_are_needed() {
    static SHARED: std::sync::LazyLock<Arc<TestManagement>> =
        std::sync::LazyLock::new(TestManagement::shared);
    set_key_management_opener(|_| Ok(SHARED.clone()));
    let keys = ring(&SHARED);
    for name in ["/t/one", "/t/two", "/t/three"] {
        keys.new_key(name).unwrap();
    }
    let sealed = keys.sealed(["/t/one", "file:///t/two", "/t/plain"]).unwrap();
    for name in ["/t/one", "/t/two"] {
        let key = keys.key_of(name).unwrap().unwrap();
        assert!(!sealed.windows(16).any(|window| window == key.key()));
    }
    let asked = SHARED.asked.load(Ordering::Relaxed);
    let there = KeyRing::from_sealed(&sealed).unwrap();
    assert_eq!(SHARED.asked.load(Ordering::Relaxed), asked);
    assert_eq!(there.key_of("/t/one").unwrap(), keys.key_of("/t/one").unwrap());
    assert_eq!(there.key_of("/t/two").unwrap(), keys.key_of("/t/two").unwrap());
    assert_eq!(there.key_of("/t/three").unwrap(), None);
    // What is written there is opened here, and is of its file alone.
    there.new_key("/t/new").unwrap();
    let written = there.sealed_key_of("/t/new", 900).unwrap().unwrap();
    assert!(KeyRing::is_sealed_key(&written));
    let plain = keys.opened_key_of("/t/new", &written).unwrap();
    assert_eq!(FileKey::parse(&plain).unwrap(), there.key_of("/t/new").unwrap().unwrap());
    assert_eq!(keys.opened_key_of("/t/other", &written).unwrap_err().kind(), ErrorKind::InvalidInput);
    for at in 0..sealed.len() {
        let mut bytes = sealed.clone();
        bytes[at] ^= 1;
        let read = KeyRing::from_sealed(&bytes).and_then(|ring| ring.key_of("/t/one"));
        assert!(read.is_err(), "{at}");
    }
}

#[test]
fn a_key_of_24_bytes_is_unsupported() {
    let error = super::Cipher::new(&[0; 24]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let management = TestManagement::shared();
    assert!(management.unwrap_key(b"other\0x", "master").is_err());
}
