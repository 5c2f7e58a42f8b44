//! Which hashes are surely of no key?
//!
//! In: hashes of keys. Out: for a hash, whether a key may have it.
//!
//! ```text
//! word   64 bits, for about four keys of which each has set two
//! ```
//!
//! Invariant: a hash of a key is never denied. About one of fifty others is not denied: most rows of a table cost one word, in a table
//! that fits into the processor's cache where the keys themselves do not.

use super::hashing::no_memory;
use super::row_keys::spread;
use crate::error::Result;

/// So many keys share a word, at most.
const KEYS_OF_WORD: usize = 4;

/// The bits of all keys.
pub(super) struct KeyFilter {
    /// As many as a power of two.
    words: Vec<u64>,
}

impl KeyFilter {
    /// Of no key.
    pub fn new() -> Self {
        Self { words: vec![0] }
    }

    /// Bytes that it holds.
    pub fn memory(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }

    /// Makes room for so many keys. Where there was none, the hashes of all keys are set again.
    ///
    /// Errors: `LimitExceeded` where memory ends.
    pub fn resize(&mut self, keys: usize, hashes: impl Iterator<Item = u32>) -> Result<()> {
        let words = keys.div_ceil(KEYS_OF_WORD).next_power_of_two();
        if words > self.words.len() {
            let mut made = Vec::new();
            made.try_reserve_exact(words).map_err(no_memory)?;
            made.resize(words, 0);
            self.words = made;
            hashes.for_each(|hash| self.insert(hash));
        }
        Ok(())
    }

    /// Sets the bits of a key.
    pub fn insert(&mut self, hash: u32) {
        let (word, bits) = self.place(hash);
        self.words[word] |= bits;
    }

    /// May a key have this hash?
    #[inline]
    pub fn may_have(&self, hash: u32) -> bool {
        let (word, bits) = self.place(hash);
        self.words[word] & bits == bits
    }

    /// The word of a hash, and its bits.
    #[inline]
    fn place(&self, hash: u32) -> (usize, u64) {
        let hash = spread(hash);
        ((hash >> 32) as usize & (self.words.len() - 1), 1 << (hash & 63) | 1 << (hash >> 6 & 63))
    }
}
