//! Tests of encrypted files.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use bytes::Bytes;
use floeberg_core::ErrorKind;

use super::store::EncryptedStore;
use crate::keys::KeyRing;
use crate::keys::testing::TestManagement;
use crate::memory::MemoryStore;
use crate::store::Store;

/// A block of 16 bytes with the key 0..16, the nonce 100..112 and the prefix `prefix-of-a-file`, made by OpenSSL.
const OF_OPENSSL: &str = "41475331000010006465666768696a6b6c6d6e6f7b423ccaac22d79cbb5f7764e7a84789eaefdc8469783e59624eec2414132d95";

fn ring() -> Arc<KeyRing> {
    Arc::new(KeyRing::new(TestManagement::shared(), "master", 16))
}

fn hex(text: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(digit).collect()
}

/// Standard key metadata.
fn key_metadata(length: i64) -> Vec<u8> {
    let mut bytes = vec![1, 32];
    bytes.extend(0..16_u8);
    bytes.extend([2, 32]);
    bytes.extend(b"prefix-of-a-file");
    bytes.push(2);
    bytes.push((length << 1) as u8);
    bytes
}

fn plain(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at % 251) as u8 ^ (at >> 12) as u8).collect()
}

/// A store with a file of so many plain bytes.
fn with_file(length: usize) -> (EncryptedStore, Arc<MemoryStore>, Arc<KeyRing>, Vec<u8>) {
    let (inner, keys) = (Arc::new(MemoryStore::new()), ring());
    let store = EncryptedStore::new(inner.clone(), keys.clone());
    let bytes = plain(length);
    let mut sink = store.create("memory://t/file.avro").unwrap();
    // In pieces that fit no block.
    bytes.chunks(300_001).for_each(|piece| sink.write(piece).unwrap());
    let stored = sink.finish().unwrap();
    assert_eq!(inner.open("memory://t/file.avro").unwrap().size().unwrap(), stored);
    (store, inner, keys, bytes)
}

fn stored(inner: &MemoryStore) -> Vec<u8> {
    inner.open("memory://t/file.avro").unwrap().read_all(u64::MAX).unwrap().to_vec()
}

/// The error of reading a file whose stored bytes are others.
fn changed(length: usize, change: impl FnOnce(&mut Vec<u8>)) -> floeberg_core::Error {
    let (store, inner, _, _) = with_file(length);
    let mut bytes = stored(&inner);
    change(&mut bytes);
    inner.put("memory://t/file.avro", Bytes::from(bytes));
    let source = store.open("memory://t/file.avro").unwrap();
    let whole = source.read_all(u64::MAX).unwrap_err();
    assert!(whole.to_string().contains("memory://t/file.avro"), "{whole}");
    whole
}

#[test]
fn a_file_of_another_library_is_read() {
    let (inner, keys) = (Arc::new(MemoryStore::new()), ring());
    inner.put("memory://t/vector.avro", Bytes::from(hex(OF_OPENSSL)));
    keys.add("memory://t/vector.avro", &key_metadata(52), None).unwrap();
    let store = EncryptedStore::new(inner, keys);
    let source = store.open("memory://t/vector.avro").unwrap();
    assert_eq!(source.size().unwrap(), 16);
    assert_eq!(source.read_all(100).unwrap(), b"a row of a table".as_slice());
    assert_eq!(source.read(2..5).unwrap(), b"row".as_slice());
}

#[test]
fn files_of_any_length_are_read_back_in_any_range() {
    const BLOCK: usize = 1 << 20;
    for length in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 3 * BLOCK + 17] {
        let (store, inner, _, bytes) = with_file(length);
        let source = store.open("memory://t/file.avro").unwrap();
        assert_eq!(source.size().unwrap(), length as u64);
        assert_eq!(source.read_all(u64::MAX).unwrap(), bytes, "{length}");
        let end = length as u64;
        let mut ranges = vec![0..0, end..end, 0..end.min(10), end.saturating_sub(10)..end];
        if length > BLOCK {
            ranges.extend([BLOCK as u64 - 3..BLOCK as u64 + 1, 5..end - 5, 0..3]);
        }
        let read = source.read_ranges(&ranges).unwrap();
        for (range, read) in ranges.iter().zip(read) {
            assert_eq!(read, bytes[range.start as usize..range.end as usize], "{length} {range:?}");
            assert_eq!(source.read(range.clone()).unwrap(), read);
        }
        assert_eq!(source.read(end..end + 1).unwrap_err().kind(), ErrorKind::InvalidData);
        assert_eq!(source.read_end(7).unwrap().0, end);
        // No stored byte is plain.
        if length > 100 {
            assert!(!stored(&inner).windows(64).any(|window| window == &bytes[..64]));
        }
    }
}

#[test]
fn what_was_changed_is_an_error_that_names_the_file() {
    const STORED: usize = (1 << 20) + 28;
    let three = 2 * (1 << 20) + 100;
    let swapped = |bytes: &mut Vec<u8>| {
        let (one, two) = (bytes[8..8 + STORED].to_vec(), bytes[8 + STORED..8 + 2 * STORED].to_vec());
        bytes[8..8 + STORED].copy_from_slice(&two);
        bytes[8 + STORED..8 + 2 * STORED].copy_from_slice(&one);
    };
    assert!(changed(three, swapped).message().contains("not authentic"));
    assert_eq!(changed(three, |bytes| bytes.truncate(8 + 2 * STORED)).kind(), ErrorKind::InvalidData);
    assert_eq!(changed(three, |bytes| bytes.truncate(8 + STORED)).kind(), ErrorKind::InvalidData);
    assert_eq!(changed(three, |bytes| bytes.truncate(3)).kind(), ErrorKind::InvalidData);
    assert!(changed(three, |bytes| bytes[20] ^= 1).message().contains("not authentic"));
    assert!(changed(three, |bytes| bytes[8 + STORED - 1] ^= 1).message().contains("not authentic"));
    assert!(changed(three, |bytes| bytes[0] = b'X').message().contains("header"));
    assert!(changed(three, |bytes| bytes[5] = 7).message().contains("header"));
    assert!(changed(0, |bytes| bytes[10] ^= 1).message().contains("not authentic"));
}

#[test]
fn a_range_of_a_block_that_was_moved_is_an_error() {
    const STORED: usize = (1 << 20) + 28;
    let (store, inner, _, _) = with_file(3 << 20);
    let mut bytes = stored(&inner);
    let second = bytes[8 + STORED..8 + 2 * STORED].to_vec();
    bytes[8..8 + STORED].copy_from_slice(&second);
    inner.put("memory://t/file.avro", Bytes::from(bytes));
    let source = store.open("memory://t/file.avro").unwrap();
    assert_eq!(source.read(100..200).unwrap_err().kind(), ErrorKind::InvalidData);
    // The others are authentic.
    assert_eq!(source.read(1 << 20..(1 << 20) + 5).unwrap().len(), 5);
}

#[test]
fn a_file_in_the_place_of_another_is_an_error() {
    let (inner, keys) = (Arc::new(MemoryStore::new()), ring());
    let store = EncryptedStore::new(inner.clone(), keys);
    for name in ["memory://t/one.avro", "memory://t/two.avro"] {
        let mut sink = store.create(name).unwrap();
        sink.write(b"the same length").unwrap();
        sink.finish().unwrap();
    }
    let one = inner.open("memory://t/one.avro").unwrap().read_all(1000).unwrap();
    inner.put("memory://t/two.avro", one);
    let error = store.open("memory://t/two.avro").unwrap().read_all(1000).unwrap_err();
    assert!(error.message().contains("not authentic"), "{error}");
}

#[test]
fn a_length_that_is_not_authentic_is_not_used() {
    let (store, inner, keys, _) = with_file(100);
    let key = keys.key_of("memory://t/file.avro").unwrap().unwrap();
    let mut bytes = stored(&inner);
    bytes.extend(b"more");
    inner.put("memory://t/file.avro", Bytes::from(bytes));
    assert_eq!(store.open("memory://t/file.avro").unwrap().size().unwrap(), 100);
    assert_eq!(key.length(), Some(8 + 28 + 100));
    for length in [0, 7, 8, 20, 35, 8 + (1 << 20) + 28 + 28] {
        keys.put_length("memory://t/file.avro", length);
        let error = store.open("memory://t/file.avro").unwrap().size().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{length}");
    }
}

#[test]
fn only_metadata_in_json_and_hints_are_written_as_they_are() {
    let (inner, keys) = (Arc::new(MemoryStore::new()), ring());
    let store = EncryptedStore::new(inner.clone(), keys);
    for name in
        ["memory://t/v1.metadata.json", "memory://t/v2.gz.metadata.json", "memory://t/version-hint.text"]
    {
        store.put(name, Bytes::from_static(b"{}")).unwrap();
        assert_eq!(store.open(name).unwrap().read_all(10).unwrap(), b"{}".as_slice());
    }
    for name in ["memory://t/data.parquet", "memory://t/metadata.json.avro", "memory://t/x"] {
        let refused = store.put_if_absent(name, Bytes::from_static(b"rows")).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unsupported);
        assert!(!inner.exists(name).unwrap());
    }
}
