//! Which numbers are unique?
//!
//! Out: random numbers and uuids.
//! Spec: RFC 9562 (UUID version 4); Appendix F, Assignment of Snapshot IDs.
//!
//! Invariant: processes that were forked from one another draw different numbers: besides the random keys of the
//! standard library, the process id, the time and a counter are hashed.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use floeberg_core::value::format_uuid;
use floeberg_iceberg::metadata::TableMetadata;

/// A random number.
fn draw() -> u64 {
    static DRAWN: AtomicU64 = AtomicU64::new(0);
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(process::id());
    hasher.write_u64(DRAWN.fetch_add(1, Ordering::Relaxed));
    hasher.write_u128(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos()));
    hasher.finish()
}

/// A uuid of version 4.
pub(crate) fn random_uuid() -> String {
    let mut bytes = [0; 16];
    for half in bytes.chunks_exact_mut(8) {
        half.copy_from_slice(&draw().to_be_bytes());
    }
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    format_uuid(&bytes)
}

/// A snapshot id that the table does not have: above 0.
pub(crate) fn new_snapshot_id(metadata: &TableMetadata) -> i64 {
    loop {
        let id = (draw() >> 1) as i64;
        if id > 0 && metadata.snapshot(id).is_err() {
            return id;
        }
    }
}
