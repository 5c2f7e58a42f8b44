//! Which deleted and inserted rows of a snapshot are one row?
//!
//! In: numbers of the inserted rows, then of the deleted ones. Out: what happened to each row.
//!
//! Invariant: as many rows were carried over on one side as on the other. An updated row is one deleted and one inserted row
//! with the same key; where a key has more rows, they are deletes and inserts.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use floeberg_core::{Error, Result};
use foldhash::fast::RandomState;

use super::columns::RowNumbers;
use super::step::{ChangeType, Side};

/// What happened to the rows of a side, in their order; `None` were only carried over.
pub(super) type Changes = Vec<Option<ChangeType>>;

/// No row.
const NONE: u32 = u32::MAX;

/// So many rows room is made for at once: how many rows files have is only claimed.
const MOST_EXPECTED: usize = 1 << 20;

/// The rows of a snapshot. It takes about 60 bytes for an inserted row, and 20 for a deleted one.
#[derive(Default)]
pub(super) struct Matcher {
    /// The inserted rows that no deleted row is yet: the last one of each number, or [`NONE`].
    last: HashMap<u128, u32, RandomState>,
    /// For each inserted row the one before it with its number, or [`NONE`].
    before: Vec<u32>,
    /// For each inserted row: is it one that was deleted?
    is_carried: Vec<bool>,
    inserted_keys: Vec<u128>,
    /// For each deleted row: was it deleted, and not carried over?
    deleted: Vec<bool>,
    /// The keys of those that were.
    deleted_keys: Vec<u128>,
}

/// How many rows of a key there are.
#[derive(Default)]
struct OfKey {
    deleted: u32,
    inserted: u32,
}

impl OfKey {
    fn is_update(&self) -> bool {
        self.deleted == 1 && self.inserted == 1
    }
}

impl Matcher {
    /// With room for about so many inserted rows.
    pub fn expecting(rows: u64) -> Self {
        let rows = usize::try_from(rows).unwrap_or(MOST_EXPECTED).min(MOST_EXPECTED);
        let last = HashMap::with_capacity_and_hasher(rows, RandomState::default());
        Self { last, before: Vec::with_capacity(rows), ..Self::default() }
    }

    /// Takes rows of a side. All inserted rows come before the first deleted one.
    ///
    /// Errors: `LimitExceeded` for more inserted rows than can be numbered.
    pub fn add(&mut self, side: Side, numbers: RowNumbers) -> Result<()> {
        match side {
            Side::Inserted => {
                for number in &numbers.rows {
                    let row = u32::try_from(self.before.len()).ok().filter(|row| *row != NONE);
                    let row = row.ok_or_else(|| {
                        Error::limit("a snapshot inserts more than 4,294,967,294 rows and deletes others")
                    })?;
                    self.before.push(self.last.insert(*number, row).unwrap_or(NONE));
                }
                self.inserted_keys.extend(numbers.keys.into_iter().flatten());
                self.is_carried.resize(self.before.len(), false);
            }
            Side::Deleted => {
                let first = self.deleted.len();
                for number in numbers.rows {
                    let is_carried = self.carry(number);
                    self.deleted.push(!is_carried);
                }
                let keys = numbers.keys.into_iter().flatten().zip(&self.deleted[first..]);
                self.deleted_keys.extend(keys.filter(|(_, is_deleted)| **is_deleted).map(|(key, _)| key));
            }
        }
        Ok(())
    }

    /// Finds an inserted row of a number, if one is left, and takes it out.
    fn carry(&mut self, number: u128) -> bool {
        let row = self.last.get_mut(&number).filter(|row| **row != NONE);
        let Some(row) = row else { return false };
        let place = *row as usize;
        *row = self.before[place];
        self.is_carried[place] = true;
        true
    }

    /// What happened to the deleted rows, and to the inserted ones.
    pub fn finish(self) -> (Changes, Changes) {
        drop(self.last);
        let inserted: Vec<bool> = self.is_carried.iter().map(|is_carried| !is_carried).collect();
        let new_keys = self.inserted_keys.iter().zip(&inserted).filter(|(_, is_inserted)| **is_inserted);
        let new_keys: Vec<u128> = new_keys.map(|(key, _)| *key).collect();
        let mut by_key: HashMap<u128, OfKey, RandomState> = HashMap::default();
        for key in &self.deleted_keys {
            by_key.entry(*key).or_default().deleted += 1;
        }
        for key in &new_keys {
            if let Some(rows) = by_key.get_mut(key) {
                rows.inserted += 1;
            }
        }
        let is_update =
            |key: Option<&u128>| key.and_then(|key| by_key.get(key)).is_some_and(OfKey::is_update);
        let of_side = |changed: &[bool], keys: &[u128], plain: ChangeType, update: ChangeType| -> Changes {
            let mut keys = keys.iter();
            let mut each =
                |is_changed: &bool| is_changed.then(|| if is_update(keys.next()) { update } else { plain });
            changed.iter().map(&mut each).collect()
        };
        let before = of_side(&self.deleted, &self.deleted_keys, ChangeType::Delete, ChangeType::UpdateBefore);
        let after = of_side(&inserted, &new_keys, ChangeType::Insert, ChangeType::UpdateAfter);
        (before, after)
    }
}
