//! Which rows differ between two versions?
//!
//! In: two versions. Out: addresses of rows that were deleted or changed in the first, and inserted or changed in the second.
//!
//! ```text
//! row of both    with stable row ids: the same id, which came in the same version; else the same address in the same file
//! changed        its last update is of another version, or its columns lie in other files and a value differs
//! ```
//!
//! Invariant: a row that was only moved did not change. Only fragments that differ are looked at, and data files are opened only where
//! values have to be compared.
//!
//! Spec: Lance, Stable Row IDs; Row Lineage.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::{Cancel, Error, Result};
use floeberg_rows::differing_rows;

use super::row_places::{RowPlaces, paired};
use crate::differences::Differences;
use crate::pages::Pages;
use crate::scan::Scan;
use crate::table::Table;
use crate::take::Taken;
use crate::taken_rows::taken_rows;
use crate::wire::Operation;

/// The most rows that are compared at once.
const PIECE: usize = 1 << 16;

/// Rows by their addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangedRows {
    /// Of the earlier version, without a row in the later one.
    pub deleted: Vec<u64>,
    /// Of the later version, without a row in the earlier one.
    pub inserted: Vec<u64>,
    /// Of the earlier version, that the later one has with other values.
    pub before: Vec<u64>,
    /// The same rows in the later version.
    pub after: Vec<u64>,
}

/// Two versions that are compared, with the columns of one of them.
#[derive(Debug)]
pub struct Compared<'a> {
    /// The earlier version.
    pub before: &'a Table,
    /// The later version.
    pub after: &'a Table,
    /// The columns whose values count, where they have to be compared.
    pub columns: &'a [String],
    /// Whether one commit made the later version of the earlier one.
    pub is_one_commit: bool,
    /// Whether rows that moved may have got other values on the way without a word.
    pub may_replace_values: bool,
    /// What decodes data files.
    pub pages: &'a Arc<dyn Pages>,
}

/// The operation that made a version; `None` where nothing says it. Errors: `InvalidData`; those of the store.
pub(crate) fn made_by(table: &Table) -> Result<Option<Operation>> {
    let operation = table.transaction()?.map(|made| made.operation);
    Ok(operation.filter(|operation| !matches!(operation, Operation::Missing)))
}

impl Compared<'_> {
    /// The rows that differ; `None` where no fragment does, and where one commit only moved rows.
    ///
    /// Errors: `Unsupported` where nothing says which rows only moved; those of reading; `LimitExceeded`; `Cancelled`.
    pub fn changed_rows(&self, cancel: &Cancel) -> Result<Option<ChangedRows>> {
        let found = Differences::between(self.before, self.after)?;
        if found.before.is_empty() && found.after.is_empty() {
            return Ok(None);
        }
        let same: HashSet<u64> = found.same_rows.iter().copied().collect();
        let other_values: HashSet<u64> = found.other_values.iter().copied().collect();
        let is_stable = self.before.has_stable_row_ids() && self.after.has_stable_row_ids();
        let has_other = |ids: &[u64]| ids.iter().any(|id| !same.contains(id));
        if self.is_one_commit && has_other(&found.before) && has_other(&found.after) {
            match made_by(self.after)? {
                Some(Operation::Rewrite(_)) => return Ok(None),
                None if !is_stable => {
                    return Err(Error::unsupported(format!(
                        "nothing says what made version {}, and rows have no stable ids: rows that only moved cannot be told \
                         from new ones. Read changes up to the version before, or after it",
                        self.after.version()
                    )));
                }
                _ => {}
            }
        }
        let old = RowPlaces::of(self.before, &found.before, self.pages, cancel)?;
        let new = RowPlaces::of(self.after, &found.after, self.pages, cancel)?;
        let pairs = if is_stable {
            self.pairs_by_ids(&old, &new, &other_values, cancel)
        } else {
            self.pairs_by_addresses(&old, &new, &same, &other_values, cancel)
        };
        pairs.map(|pairs| Some(pairs.rows(&old, &new)))
    }

    fn pairs_by_ids(
        &self,
        old: &RowPlaces,
        new: &RowPlaces,
        other_values: &HashSet<u64>,
        cancel: &Cancel,
    ) -> Result<Pairs> {
        let mut rows = paired(&old.ids, &new.ids)?;
        // An id that came again in another version is another row.
        let are_equal =
            |one: Option<u64>, other: Option<u64>| one.zip(other).map(|(one, other)| one == other);
        rows.retain(|(one, other)| are_equal(old.created(*one), new.created(*other)).unwrap_or(true));
        let (mut is_changed, mut asked) = (Vec::with_capacity(rows.len()), Vec::new());
        for (number, (one, other)) in rows.iter().enumerate() {
            let is_as_updated = are_equal(old.updated(*one), new.updated(*other));
            let is_other = is_as_updated == Some(false);
            let (address, earlier) = (new.addresses[*other], old.addresses[*one]);
            let has_moved = address != earlier && (self.may_replace_values || is_as_updated.is_none());
            is_changed.push(is_other);
            if !is_other && (has_moved || other_values.contains(&(address >> 32))) {
                asked.push(number);
            }
        }
        self.compare(Pairs { rows, is_changed }, &asked, old, new, cancel)
    }

    fn pairs_by_addresses(
        &self,
        old: &RowPlaces,
        new: &RowPlaces,
        same_rows: &HashSet<u64>,
        other_values: &HashSet<u64>,
        cancel: &Cancel,
    ) -> Result<Pairs> {
        let mut rows = paired(&old.addresses, &new.addresses)?;
        let fragment = |(_, other): &(usize, usize)| new.addresses[*other] >> 32;
        rows.retain(|pair| same_rows.contains(&fragment(pair)));
        let asked = rows.iter().enumerate().filter(|(_, pair)| other_values.contains(&fragment(pair)));
        let asked: Vec<_> = asked.map(|(number, _)| number).collect();
        let is_changed = vec![false; rows.len()];
        self.compare(Pairs { rows, is_changed }, &asked, old, new, cancel)
    }

    /// Compares the values of the pairs that are asked for.
    fn compare(
        &self,
        mut pairs: Pairs,
        asked: &[usize],
        old: &RowPlaces,
        new: &RowPlaces,
        cancel: &Cancel,
    ) -> Result<Pairs> {
        for some in asked.chunks(PIECE) {
            let of_old: Vec<_> = some.iter().map(|number| old.addresses[pairs.rows[*number].0]).collect();
            let of_new: Vec<_> = some.iter().map(|number| new.addresses[pairs.rows[*number].1]).collect();
            let one = self.values(self.before, &of_old, cancel)?;
            let other = self.values(self.after, &of_new, cancel)?;
            for (number, differs) in some.iter().zip(differing(one, other)?) {
                pairs.is_changed[*number] |= differs;
            }
        }
        Ok(pairs)
    }

    fn values(&self, table: &Table, addresses: &[u64], cancel: &Cancel) -> Result<VecDeque<RecordBatch>> {
        let request = Scan::new(table.clone()).select(self.columns.to_vec()).request()?;
        let taken = Taken::by_addresses(request, addresses)?;
        Ok(taken_rows(&taken, self.pages, cancel)?.into())
    }
}

/// Rows of both versions, by their numbers in the earlier and in the later one, and whether each changed.
#[derive(Debug)]
struct Pairs {
    rows: Vec<(usize, usize)>,
    is_changed: Vec<bool>,
}

impl Pairs {
    fn rows(&self, old: &RowPlaces, new: &RowPlaces) -> ChangedRows {
        let changed = || self.rows.iter().zip(&self.is_changed).filter(|(_, is_changed)| **is_changed);
        ChangedRows {
            deleted: old.others(self.rows.iter().map(|(one, _)| *one)),
            inserted: new.others(self.rows.iter().map(|(_, other)| *other)),
            before: changed().map(|((one, _), _)| old.addresses[*one]).collect(),
            after: changed().map(|((_, other), _)| new.addresses[*other]).collect(),
        }
    }
}

/// For each row whether a value differs. The batches of both sides may be cut elsewhere.
fn differing(mut one: VecDeque<RecordBatch>, mut other: VecDeque<RecordBatch>) -> Result<Vec<bool>> {
    let mut differs = Vec::new();
    while let (Some(left), Some(right)) = (one.pop_front(), other.pop_front()) {
        let rows = left.num_rows().min(right.num_rows());
        if rows == 0 {
            return Err(Error::internal("rows to compare are in an empty batch"));
        }
        for (batch, waiting) in [(&left, &mut one), (&right, &mut other)] {
            if batch.num_rows() > rows {
                waiting.push_front(batch.slice(rows, batch.num_rows() - rows));
            }
        }
        let (left, right) = (left.slice(0, rows), right.slice(0, rows));
        differs.extend(&differing_rows(left.columns(), right.columns(), rows));
    }
    Ok(differs)
}
