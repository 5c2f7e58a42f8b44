//! Which deleted and inserted rows of a snapshot are one row?
//!
//! In: numbers of the inserted rows, then of the deleted ones. Out: what happened to each row.
//!
//! Invariant: as many rows were carried over on one side as on the other. An updated row is one deleted and one inserted row
//! with the same key; where a key has more rows, they are deletes and inserts.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::columns::RowNumbers;
use super::step::{ChangeType, Side};

/// What happened to the rows of a side, in their order; `None` were only carried over.
pub(super) type Changes = Vec<Option<ChangeType>>;

/// The rows of a snapshot. It takes about 60 bytes for an inserted row, and 20 for a deleted one.
#[derive(Default)]
pub(super) struct Matcher {
    /// How many inserted rows have a number, less the deleted rows with it.
    left: HashMap<u128, u32, RandomState>,
    inserted: Vec<u128>,
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
    /// Takes rows of a side. All inserted rows come before the first deleted one.
    pub fn add(&mut self, side: Side, numbers: RowNumbers) {
        match side {
            Side::Inserted => {
                for number in &numbers.rows {
                    *self.left.entry(*number).or_default() += 1;
                }
                self.inserted.extend(numbers.rows);
                self.inserted_keys.extend(numbers.keys.into_iter().flatten());
            }
            Side::Deleted => {
                let first = self.deleted.len();
                for number in numbers.rows {
                    let is_carried = self.left.get_mut(&number).is_some_and(take_one);
                    self.deleted.push(!is_carried);
                }
                let keys = numbers.keys.into_iter().flatten().zip(&self.deleted[first..]);
                self.deleted_keys.extend(keys.filter(|(_, is_deleted)| **is_deleted).map(|(key, _)| key));
            }
        }
    }

    /// What happened to the deleted rows, and to the inserted ones.
    pub fn finish(mut self) -> (Changes, Changes) {
        let is_inserted = |number: &u128| self.left.get_mut(number).is_some_and(take_one);
        let inserted: Vec<bool> = self.inserted.iter().map(is_inserted).collect();
        drop(self.left);
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

/// Counts one less, if there is one.
fn take_one(count: &mut u32) -> bool {
    let is_there = *count > 0;
    *count = count.saturating_sub(1);
    is_there
}
