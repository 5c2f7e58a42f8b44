//! Which rows that went, and which that came, are one row?
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

/// Did rows come or go?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// They came.
    Inserted,
    /// They went.
    Deleted,
}

/// What happened to a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeType {
    /// It came.
    Insert,
    /// It went.
    Delete,
    /// It has other values now. This is the old row.
    UpdateBefore,
    /// The new row of an update.
    UpdateAfter,
}

impl ChangeType {
    /// The value of `_change_type`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Insert => "INSERT",
            Self::Delete => "DELETE",
            Self::UpdateBefore => "UPDATE_BEFORE",
            Self::UpdateAfter => "UPDATE_AFTER",
        }
    }
}

impl Side {
    /// The snapshot that has the rows: 0 is the one after, 1 the one before.
    pub fn snapshot(self) -> usize {
        usize::from(self == Self::Deleted)
    }
}

impl From<Side> for ChangeType {
    fn from(side: Side) -> Self {
        match side {
            Side::Inserted => Self::Insert,
            Side::Deleted => Self::Delete,
        }
    }
}

/// What tells the rows of a batch apart.
#[derive(Debug)]
pub struct RowNumbers {
    /// Equal for rows that are one row: those that were copied have the same on both sides.
    pub rows: Vec<u128>,
    /// Equal for rows of one key; `None` without key columns.
    pub keys: Option<Vec<u128>>,
}

/// What happened to the rows of a side, in their order; `None` were only carried over.
pub type Changes = Vec<Option<ChangeType>>;

/// What happened to the rows of both sides.
#[derive(Debug, Default)]
pub struct Matched {
    /// To the deleted rows.
    pub deleted: Changes,
    /// To the inserted rows.
    pub inserted: Changes,
    /// For each updated row of those that were inserted, in their order, which updated row of the deleted ones it was, from 0.
    pub pairs: Vec<u32>,
    /// Has a key rows on both sides that are no update, since a side has several?
    pub has_repeated_keys: bool,
}

/// No row.
const NONE: u32 = u32::MAX;

/// So many rows room is made for at once: how many rows files have is only claimed.
const MOST_EXPECTED: usize = 1 << 20;

/// A copy may have so many other rows where a deleted row is looked for: new ones, and changed ones.
const NEAR: usize = 4;

/// One of so many inserted rows is a mark, at which a deleted file finds its copy: files of two snapshots are in no common order.
const ROWS_OF_A_MARK: usize = if cfg!(test) { 4 } else { 64 };

/// The rows of a snapshot. Copies keep the order of their rows, so that most are found beside the one before them, or at a mark:
/// those take 20 to 40 bytes, with a key. The others are looked up in the end, with about 60 bytes more.
#[derive(Debug, Default)]
pub struct Matcher {
    /// The numbers of the inserted rows.
    inserted: Vec<u128>,
    /// For each inserted row: is it one that was deleted?
    is_carried: Vec<bool>,
    inserted_keys: Vec<u128>,
    /// The inserted row that is expected to be the next deleted one.
    next: usize,
    /// Some inserted rows, by their numbers.
    marks: HashMap<u128, u32, RandomState>,
    /// For each deleted row: was it deleted, and not carried over?
    deleted: Vec<bool>,
    /// The deleted rows that were not found in order: their numbers, and their keys.
    sought: Vec<u128>,
    sought_keys: Vec<u128>,
}

/// How many rows of a key there are.
#[derive(Default)]
struct OfKey {
    deleted: u32,
    inserted: u32,
    /// Which updated row it is, among the deleted ones.
    number: u32,
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
        Self { inserted: Vec::with_capacity(rows), ..Self::default() }
    }

    /// Takes rows of a side. All inserted rows come before the first deleted one.
    ///
    /// Errors: `LimitExceeded` for more inserted rows than can be numbered.
    pub fn add(&mut self, side: Side, numbers: RowNumbers) -> Result<()> {
        match side {
            Side::Inserted => {
                self.inserted.extend(numbers.rows);
                if u32::try_from(self.inserted.len()).is_err() {
                    return Err(Error::limit(
                        "more than 4,294,967,295 rows came, and others went: compare some of them",
                    ));
                }
                self.inserted_keys.extend(numbers.keys.into_iter().flatten());
                let first = self.is_carried.len().next_multiple_of(ROWS_OF_A_MARK);
                let rows = self.inserted.iter().enumerate().skip(first).step_by(ROWS_OF_A_MARK);
                self.marks.extend(rows.map(|(place, number)| (*number, place as u32)));
                self.is_carried.resize(self.inserted.len(), false);
            }
            Side::Deleted => {
                let first = self.deleted.len();
                for number in numbers.rows {
                    let is_carried = self.carry_next(number);
                    self.deleted.push(!is_carried);
                    if !is_carried {
                        self.sought.push(number);
                    }
                }
                let keys = numbers.keys.into_iter().flatten().zip(&self.deleted[first..]);
                self.sought_keys.extend(keys.filter(|(_, is_sought)| **is_sought).map(|(key, _)| key));
            }
        }
        Ok(())
    }

    /// Takes the inserted row of a number, if it is near the one that is expected, or is a mark.
    fn carry_next(&mut self, number: u128) -> bool {
        let rows = self.inserted.iter().zip(&self.is_carried).enumerate();
        let near = rows.skip(self.next).take(NEAR);
        let found = near.into_iter().find(|(_, (row, is_carried))| **row == number && !**is_carried);
        let place = found.map(|(place, _)| place).or_else(|| {
            let mark = *self.marks.get(&number)? as usize;
            (!self.is_carried[mark]).then_some(mark)
        });
        let Some(place) = place else { return false };
        self.is_carried[place] = true;
        self.next = place + 1;
        true
    }

    /// Looks the other deleted rows up among the other inserted ones. Returns the keys of those that were not found.
    fn carry_others(&mut self) -> Vec<u128> {
        // The last row of each number, or `NONE`, and for each row the one before it with its number.
        let mut last: HashMap<u128, u32, RandomState> = HashMap::default();
        let mut before = Vec::new();
        let mut places = Vec::new();
        if !self.sought.is_empty() {
            let rows = self.inserted.iter().zip(&self.is_carried).enumerate();
            for (place, (number, _)) in rows.filter(|(_, (_, is_carried))| !**is_carried) {
                before.push(last.insert(*number, places.len() as u32).unwrap_or(NONE));
                places.push(place as u32);
            }
        }
        let mut keys = self.sought_keys.iter();
        let mut left = Vec::new();
        let sought = self.deleted.iter_mut().filter(|is_sought| **is_sought);
        for (is_deleted, number) in sought.zip(&self.sought) {
            let key = keys.next();
            if let Some(row) = last.get_mut(number).filter(|row| **row != NONE) {
                self.is_carried[places[*row as usize] as usize] = true;
                *row = before[*row as usize];
                *is_deleted = false;
            } else {
                left.extend(key.copied());
            }
        }
        left
    }

    /// What happened to all rows.
    pub fn finish(mut self) -> Matched {
        let deleted_keys = self.carry_others();
        let inserted: Vec<bool> = self.is_carried.iter().map(|is_carried| !is_carried).collect();
        let new_keys = self.inserted_keys.iter().zip(&inserted).filter(|(_, is_inserted)| **is_inserted);
        let new_keys: Vec<u128> = new_keys.map(|(key, _)| *key).collect();
        let mut by_key: HashMap<u128, OfKey, RandomState> = HashMap::default();
        for key in &deleted_keys {
            by_key.entry(*key).or_default().deleted += 1;
        }
        for key in &new_keys {
            if let Some(rows) = by_key.get_mut(key) {
                rows.inserted += 1;
            }
        }
        let mut updates = 0;
        for key in &deleted_keys {
            if let Some(rows) = by_key.get_mut(key).filter(|rows| rows.is_update()) {
                rows.number = updates;
                updates += 1;
            }
        }
        let is_repeated = |rows: &OfKey| rows.deleted > 0 && rows.inserted > 0 && !rows.is_update();
        let has_repeated_keys = by_key.values().any(is_repeated);
        let update = |key: &u128| by_key.get(key).filter(|rows| rows.is_update());
        let of_side = |changed: &[bool], keys: &[u128], plain: ChangeType, updated: ChangeType| -> Changes {
            let mut keys = keys.iter();
            let mut each = |is_changed: &bool| {
                is_changed.then(|| if keys.next().and_then(update).is_some() { updated } else { plain })
            };
            changed.iter().map(&mut each).collect()
        };
        Matched {
            deleted: of_side(&self.deleted, &deleted_keys, ChangeType::Delete, ChangeType::UpdateBefore),
            inserted: of_side(&inserted, &new_keys, ChangeType::Insert, ChangeType::UpdateAfter),
            has_repeated_keys,
            pairs: new_keys.iter().filter_map(update).map(|rows| rows.number).collect(),
        }
    }
}
