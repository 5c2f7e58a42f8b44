//! Which numbers and names are unique?
//!
//! Out: random numbers and uuids.
//! Spec: RFC 9562 (UUID version 4).
//!
//! Invariant: processes that were forked from one another draw different numbers: besides the random keys of the
//! standard library, the process id, the time and a counter are hashed.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use floeberg_core::value::format_uuid;

/// A random number.
pub fn draw() -> u64 {
    static DRAWN: AtomicU64 = AtomicU64::new(0);
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(process::id());
    hasher.write_u64(DRAWN.fetch_add(1, Ordering::Relaxed));
    hasher.write_u128(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos()));
    hasher.finish()
}

/// The bytes of a uuid of version 4.
pub fn random_uuid_bytes() -> [u8; 16] {
    let mut bytes = [0; 16];
    for half in bytes.chunks_exact_mut(8) {
        half.copy_from_slice(&draw().to_be_bytes());
    }
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    bytes
}

/// A uuid of version 4, as text.
pub fn random_uuid() -> String {
    format_uuid(&random_uuid_bytes())
}
