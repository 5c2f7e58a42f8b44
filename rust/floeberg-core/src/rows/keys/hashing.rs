//! How are keys hashed?
//!
//! Invariant: every map has its own random seeds, so no delete file can be made whose keys all collide. Only hashes that other
//! processes compare have known seeds, and no map.

use std::hash::{BuildHasher as _, Hasher as _};

use foldhash::SharedSeed;
use foldhash::fast::SeedableRandomState;

use crate::error::{Error, Result};

/// So many rows are hashed, reserved for or looked up at once.
pub(super) const STEP: usize = 1024;

/// The hash of one map.
#[derive(Clone, Default)]
pub(super) struct Hashing(SeedableRandomState);

impl Hashing {
    /// Of a seed that is the same in all processes.
    pub fn seeded(seed: u64) -> Self {
        Self(SeedableRandomState::with_seed(seed, SharedSeed::global_fixed()))
    }

    /// Of a value of at most 8 or of 16 bytes.
    pub fn fixed<const N: usize>(&self, value: &[u8; N]) -> u64 {
        self.next_fixed(0, value)
    }

    /// Of a value after others, whose hash is given.
    #[inline]
    pub fn next_fixed<const N: usize>(&self, before: u64, value: &[u8; N]) -> u64 {
        let mut hasher = self.0.build_hasher();
        hasher.write_u64(before);
        let (words, rest) = value.as_chunks::<8>();
        for word in words {
            hasher.write_u64(u64::from_le_bytes(*word));
        }
        if let Some(word) = rest.first_chunk::<4>() {
            hasher.write_u32(u32::from_le_bytes(*word));
        }
        hasher.finish()
    }

    /// Of a null after other values, whose hash is given. No value can be made that collides with it.
    pub fn next_null(&self, before: u64) -> u64 {
        self.next_fixed(!before, &[0; 8])
    }

    /// Of bytes after other values, whose hash is given.
    pub fn next_bytes(&self, before: u64, bytes: &[u8]) -> u64 {
        let mut hasher = self.0.build_hasher();
        hasher.write_u64(before);
        hasher.write(bytes);
        hasher.finish()
    }
}

/// No memory is left for more keys.
pub(super) fn no_memory(cause: impl std::fmt::Debug) -> Error {
    Error::limit(format!("not enough memory for keys: {cause:?}"))
}

/// Makes room in a vector.
pub(super) fn reserve<T>(values: &mut Vec<T>, more: usize) -> Result<()> {
    values.try_reserve(more).map_err(no_memory)
}
