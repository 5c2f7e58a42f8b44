//! Which sequence numbers do keys have?
//!
//! Invariant: a key holds a code of 4 bytes, not a number of 8; a number has one code.

use hashbrown::HashTable;

use super::hashing::{Hashing, no_memory, reserve};
use crate::error::{Error, Result};

/// The different sequence numbers of a map's keys, by code.
#[derive(Default)]
pub(super) struct Numbers {
    by_code: Vec<i64>,
    codes: HashTable<u32>,
    newest: Option<i64>,
}

impl Numbers {
    /// The code of a number.
    pub fn code(&mut self, hashing: &Hashing, number: i64) -> Result<u32> {
        let hash = |number: i64| hashing.fixed(&number.to_le_bytes());
        if let Some(code) = self.codes.find(hash(number), |code| self.by_code[*code as usize] == number) {
            return Ok(*code);
        }
        let code = u32::try_from(self.by_code.len())
            .map_err(|_| Error::limit("equality deletes have more than 2^32 different sequence numbers"))?;
        reserve(&mut self.by_code, 1)?;
        self.codes.try_reserve(1, |code| hash(self.by_code[*code as usize])).map_err(no_memory)?;
        self.codes.insert_unique(hash(number), code, |code| hash(self.by_code[*code as usize]));
        self.by_code.push(number);
        self.newest = self.newest.max(Some(number));
        Ok(code)
    }

    /// The newer of two numbers, by code.
    pub fn newer(&self, one: u32, other: u32) -> u32 {
        if self.by_code[one as usize] < self.by_code[other as usize] { other } else { one }
    }

    /// Is a number, by code, newer than another?
    pub fn is_newer(&self, code: u32, than: i64) -> bool {
        self.by_code[code as usize] > than
    }

    /// Is any number newer than another?
    pub fn any_is_newer(&self, than: i64) -> bool {
        self.newest > Some(than)
    }

    /// Bytes that it holds.
    pub fn memory(&self) -> usize {
        self.by_code.capacity() * size_of::<i64>() + self.codes.allocation_size()
    }
}
