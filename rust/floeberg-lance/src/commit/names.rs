//! How are new files of a table named?
//!
//! In: uuids, and keys of commits. Out: names of data files and transactions.
//! Spec: Lance, Transactions; `dataset/write.rs`.
//!
//! Invariant: names are never used twice, also where two commits have the same key.

use floeberg_core::value::format_uuid;
use floeberg_io::random::random_uuid_bytes;

/// A new name for a data file: its first 24 characters are binary digits, which spread files over partitions of an object store.
pub fn data_file_name() -> String {
    use std::fmt::Write as _;

    let bytes = random_uuid_bytes();
    let mut name = String::with_capacity(56);
    for byte in &bytes[..3] {
        let _ = write!(name, "{byte:08b}");
    }
    for byte in &bytes[3..] {
        let _ = write!(name, "{byte:02x}");
    }
    name + ".lance"
}

/// A new uuid for a transaction. Its first half is that of the key, so that the file of a transaction is found by the key.
pub(super) fn transaction_uuid(key: Option<&str>) -> String {
    let mut bytes = random_uuid_bytes();
    if let Some(key) = key {
        bytes[..8].copy_from_slice(&half_of_key(key));
    }
    format_uuid(&bytes)
}

/// Can a transaction's uuid be that of a key?
pub(super) fn may_be_of_key(uuid: &str, key: &str) -> bool {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&half_of_key(key));
    let expected = format_uuid(&bytes);
    uuid.len() == expected.len() && uuid.as_bytes()[..18] == expected.as_bytes()[..18]
}

/// FNV-1a of 64 bits, with the bits that say which version a uuid is.
fn half_of_key(key: &str) -> [u8; 8] {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in key.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    let mut half = hash.to_be_bytes();
    half[6] = (half[6] & 0x0f) | 0x40;
    half
}

/// The version and the uuid in the name of a transaction's file.
pub(super) fn parts_of(name: &str) -> Option<(u64, &str)> {
    let (version, uuid) = name.strip_suffix(".txn")?.split_once('-')?;
    Some((version.parse().ok()?, uuid))
}
