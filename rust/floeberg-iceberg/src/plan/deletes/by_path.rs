//! Which deletes name a file?
//!
//! In: deletes by number, with the path that each names. Out: the numbers of the deletes of a path, and perhaps of paths with
//! the same hash.
//!
//! Invariant: nothing is allocated for a path. The seeds of the hash are random, so no manifest can be
//! made whose paths all collide.

use std::collections::HashMap;
use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;

/// The end of a chain.
const NONE: u32 = u32::MAX;

/// Chains of deletes, by the hash of the path that they name.
#[derive(Debug, Default)]
pub(crate) struct ByPath {
    hashing: RandomState,
    first: HashMap<u64, u32, RandomState>,
    /// For each delete the next one in its chain.
    next: Vec<u32>,
}

impl ByPath {
    /// For `len` deletes, without paths yet.
    pub fn new(len: usize) -> Self {
        Self { next: vec![NONE; len], ..Self::default() }
    }

    /// Does no delete name a path?
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// Puts a delete before the others of its path.
    pub fn put_first(&mut self, path: &str, number: u32) {
        let after = self.first.insert(self.hashing.hash_one(path), number);
        self.next[number as usize] = after.unwrap_or(NONE);
    }

    /// The first delete of a path's chain.
    pub fn first(&self, path: &str) -> Option<u32> {
        self.first.get(&self.hashing.hash_one(path)).copied()
    }

    /// A chain, from a delete on.
    pub fn chain(&self, from: Option<u32>) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(from, |number| Some(self.next[*number as usize]).filter(|next| *next != NONE))
    }
}
