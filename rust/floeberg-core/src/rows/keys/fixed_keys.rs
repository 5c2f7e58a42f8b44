//! How are keys of one small fixed width stored?
//!
//! Invariant: a key is stored in the table itself, so a miss reads only the table's tags, and a hit one cache line more.

use arrow_buffer::{BooleanBuffer, NullBuffer};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::hashing::{Hashing, STEP, no_memory};
use super::numbers::Numbers;
use crate::error::Result;

/// A key, and the code of the newest sequence number that deletes it.
struct Slot<const N: usize> {
    key: [u8; N],
    number: u32,
}

/// The keys, null apart.
pub(super) struct FixedKeys<const N: usize> {
    table: HashTable<Slot<N>>,
    null: Option<u32>,
}

impl<const N: usize> FixedKeys<N> {
    /// No keys.
    pub fn new() -> Self {
        Self { table: HashTable::new(), null: None }
    }

    /// Adds the keys of rows.
    pub fn insert(
        &mut self,
        hashing: &Hashing,
        keys: &[[u8; N]],
        nulls: Option<&NullBuffer>,
        numbers: &Numbers,
        number: u32,
    ) -> Result<()> {
        let hash_of = |slot: &Slot<N>| hashing.fixed(&slot.key);
        for (step, keys) in keys.chunks(STEP).enumerate() {
            self.table.try_reserve(keys.len(), hash_of).map_err(no_memory)?;
            for (at, key) in keys.iter().enumerate() {
                if nulls.is_some_and(|nulls| nulls.is_null(step * STEP + at)) {
                    self.null = Some(self.null.map_or(number, |old| numbers.newer(old, number)));
                    continue;
                }
                match self.table.entry(hashing.fixed(key), |slot| slot.key == *key, hash_of) {
                    Entry::Occupied(mut slot) => {
                        let slot = slot.get_mut();
                        slot.number = numbers.newer(slot.number, number);
                    }
                    Entry::Vacant(place) => {
                        place.insert(Slot { key: *key, number });
                    }
                }
            }
        }
        Ok(())
    }

    /// How many keys.
    pub fn len(&self) -> usize {
        self.table.len() + usize::from(self.null.is_some())
    }

    /// Bytes that they hold.
    pub fn memory(&self) -> usize {
        self.table.allocation_size()
    }

    /// Which rows' keys are deleted by a newer number?
    pub fn deleted(
        &self,
        hashing: &Hashing,
        keys: &[[u8; N]],
        nulls: Option<&NullBuffer>,
        numbers: &Numbers,
        than: i64,
    ) -> BooleanBuffer {
        let found = BooleanBuffer::collect_bool(keys.len(), |row| {
            let key = &keys[row];
            self.table
                .find(hashing.fixed(key), |slot| slot.key == *key)
                .is_some_and(|slot| numbers.is_newer(slot.number, than))
        });
        let Some(nulls) = nulls else { return found };
        // Where a row is null some value stands all the same.
        let found = &found & nulls.inner();
        if self.null.is_some_and(|null| numbers.is_newer(null, than)) {
            &found | &!nulls.inner()
        } else {
            found
        }
    }
}
