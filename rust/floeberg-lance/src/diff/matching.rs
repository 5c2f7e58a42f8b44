//! Which rows of two versions are one row?
//!
//! In: the fragments that differ. Out: addresses of rows that one version has alone, and of rows that both have, which may differ.
//!
//! ```text
//! by ids         the same stable id, which came in the same version
//! by keys        the same values in the key columns; where other rows have them too, the same values in all columns, and the rest
//!                is one row if no other row of its side is left with the key
//! by addresses   the same address in a fragment that both versions have
//! ```
//!
//! Spec: Lance, Stable Row IDs; Row Lineage.
//!
//! Only rows that match the filter are matched: one that matches in the first version alone went.
//!
//! Invariant: rows of fragments that both versions have with the same values are looked at only where one version deletes them.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::expr::Expr;
use floeberg_core::rows::NO_ROW;
use floeberg_core::{Cancel, Error, Result};
use floeberg_rows::{NullKeys, check_source_memory};

use super::fragments::{Differing, places};
use super::history::History;
use crate::changes::{RowPlaces, paired};
use crate::pages::Pages;
use crate::read::RowColumn;
use crate::rows::{RowStream, numbers};
use crate::scan::Scan;
use crate::source_keys::SourceKeys;
use crate::table::Table;

/// What makes two rows one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Identity {
    /// Stable ids.
    Ids,
    /// Columns.
    Keys(Vec<String>),
    /// Addresses.
    Addresses,
}

/// Rows by their addresses.
#[derive(Debug, Default)]
pub(super) struct Matched {
    /// Of the first version alone.
    pub(super) deleted: Vec<u64>,
    /// Of the second version alone.
    pub(super) inserted: Vec<u64>,
    /// Of both versions; values may differ.
    pub(super) pairs: Vec<(u64, u64)>,
    /// Those whose keys other rows have too, and which are in none of the others.
    pub(super) repeated: Repeated,
}

/// Rows whose keys are repeated: their addresses, and a number for each key.
#[derive(Debug, Default)]
pub(super) struct Repeated {
    pub(super) old: Vec<(u64, u32)>,
    pub(super) new: Vec<(u64, u32)>,
}

/// Two versions, and the fragments that differ.
pub(super) struct Sides<'a> {
    pub(super) before: &'a Table,
    pub(super) after: &'a Table,
    pub(super) differing: &'a Differing,
    /// Which rows are compared, in the columns of the second version.
    pub(super) filter: &'a Expr,
    pub(super) pages: &'a Arc<dyn Pages>,
}

impl Sides<'_> {
    /// Matches rows.
    ///
    /// Errors: `Unsupported` where rows have addresses alone, and may have been moved; those of reading; `LimitExceeded`; `Cancelled`.
    pub(super) fn matched(&self, identity: &Identity, cancel: &Cancel) -> Result<Matched> {
        let history = || History::between(self.before, self.after, cancel);
        Ok(match identity {
            Identity::Ids => self.by_ids(history()?, cancel)?,
            Identity::Keys(names) => self.by_keys(names, cancel)?,
            Identity::Addresses => {
                if history()?.may_move {
                    return Err(Error::unsupported(format!(
                        "rows have no stable ids, and may have been moved between version {} and version {}: give the columns \
                         of a key",
                        self.before.version(),
                        self.after.version()
                    )));
                }
                self.by_addresses(cancel)?
            }
        })
    }

    fn by_ids(&self, history: History, cancel: &Cancel) -> Result<Matched> {
        let (old, new) = self.places(cancel)?;
        let (old_looked, new_looked) = self.looked_at(cancel)?;
        let mut matched = Matched::default();
        let (mut old_paired, mut new_paired) = (vec![false; old.len()], vec![false; new.len()]);
        let are_equal =
            |one: Option<u64>, other: Option<u64>| one.zip(other).map(|(one, other)| one == other);
        for (one, other) in paired(&old.ids, &new.ids)? {
            // An id that came again in another version is another row.
            if are_equal(old.created(one), new.created(other)) == Some(false) {
                continue;
            }
            (old_paired[one], new_paired[other]) = (true, true);
            let (from, to) = (old.addresses[one], new.addresses[other]);
            let is_at_its_place = from == to && self.differing.has_same_values(to >> 32);
            let is_as_updated = are_equal(old.updated(one), new.updated(other)) == Some(true);
            let has_only_moved = from != to && is_as_updated && !history.may_replace;
            if !is_at_its_place && !has_only_moved {
                matched.pairs.push((from, to));
            }
        }
        let alone = |rows: &RowPlaces, paired: &[bool], looked: &Looked| -> Vec<u64> {
            let each = rows.addresses.iter().zip(paired);
            each.filter(|(address, is_paired)| !**is_paired && looked.has(**address))
                .map(|(address, _)| *address)
                .collect()
        };
        matched.deleted = alone(&old, &old_paired, &old_looked);
        matched.inserted = alone(&new, &new_paired, &new_looked);
        Ok(matched)
    }

    fn by_addresses(&self, cancel: &Cancel) -> Result<Matched> {
        let (old, new) = self.places(cancel)?;
        let (old_looked, new_looked) = self.looked_at(cancel)?;
        let known: HashSet<u64> = old.addresses.iter().copied().collect();
        let is_one = |address: u64| self.differing.shared.contains_key(&(address >> 32));
        let mut matched = Matched::default();
        for address in new.addresses.iter().copied().filter(|address| new_looked.has(*address)) {
            if is_one(address) && known.contains(&address) {
                matched.pairs.push((address, address));
            } else {
                matched.inserted.push(address);
            }
        }
        let there: HashSet<u64> = matched.pairs.iter().map(|(address, _)| *address).collect();
        let gone = old.addresses.iter().copied().filter(|address| old_looked.has(*address));
        matched.deleted = gone.filter(|address| !there.contains(address)).collect();
        Ok(matched)
    }

    fn by_keys(&self, names: &[String], cancel: &Cancel) -> Result<Matched> {
        let (old_looked, new_looked) = self.looked_at(cancel)?;
        let request = Scan::new(self.after.clone()).select(names.to_vec()).request()?;
        let mut keys = SourceKeys::new(request.schema(), NullKeys::Equal, true)?;
        let mut old: Vec<u64> = Vec::new();
        self.each(
            self.before,
            &self.differing.before,
            names,
            &old_looked,
            cancel,
            &mut |batch, addresses| {
                keys.insert(batch)?;
                old.extend(addresses);
                check_source_memory(keys.memory() as u64 + old.len() as u64 * 16)
            },
        )?;
        // For each new row its address, and the first old row with its key.
        let mut new: Vec<(u64, u32)> = Vec::new();
        let mut times = vec![0_u32; old.len()];
        let key_columns: Vec<usize> = (0..names.len()).collect();
        self.each(self.after, &self.differing.after, names, &new_looked, cancel, &mut |batch, addresses| {
            let firsts = keys.first_of(&batch.project(&key_columns).map_err(misfit)?)?;
            for first in firsts.iter().filter(|first| **first != NO_ROW) {
                times[*first as usize] = times[*first as usize].saturating_add(1);
            }
            new.extend(addresses.iter().copied().zip(firsts));
            check_source_memory(keys.memory() as u64 + (old.len() + new.len()) as u64 * 16)
        })?;
        let mut matched = Matched::default();
        // The old rows of keys that new rows have, by the first one of each key.
        let mut is_found = vec![false; old.len()];
        for (first, _) in (0_u32..).zip(&times).filter(|(_, times)| **times > 0) {
            let is_one = times[first as usize] == 1 && keys.next(first).is_none();
            let mut next = Some(first);
            while let Some(row) = next {
                is_found[row as usize] = true;
                if !is_one {
                    matched.repeated.old.push((old[row as usize], first));
                }
                next = keys.next(row);
            }
        }
        for (address, first) in new {
            if first == NO_ROW {
                matched.inserted.push(address);
            } else if times[first as usize] == 1 && keys.next(first).is_none() {
                matched.pairs.push((old[first as usize], address));
            } else {
                matched.repeated.new.push((address, first));
            }
        }
        let alone = old.iter().zip(is_found).filter(|(_, is_found)| !is_found);
        matched.deleted = alone.map(|(address, _)| *address).collect();
        Ok(matched)
    }

    /// Calls for the rows of fragments that are looked at: their columns, and their addresses.
    fn each(
        &self,
        table: &Table,
        fragments: &[u64],
        names: &[String],
        looked: &Looked,
        cancel: &Cancel,
        take: &mut dyn FnMut(&RecordBatch, &[u64]) -> Result<()>,
    ) -> Result<()> {
        let wanted: HashSet<u64> = fragments.iter().copied().collect();
        let mut columns = names.to_vec();
        columns.push(RowColumn::Address.name().to_owned());
        let is_wanted = |id| wanted.contains(&id);
        let mut stream = RowStream::of_matching(table, columns, self.filter, Some(&is_wanted), self.pages)?;
        while let Some(batch) = stream.next_batch()? {
            cancel.check()?;
            let addresses = numbers(&batch, RowColumn::Address.name())?;
            let mask = addresses.iter().map(|address| Some(looked.has(*address))).collect();
            let kept = arrow_select::filter::filter_record_batch(&batch, &mask).map_err(misfit)?;
            let own: Vec<usize> = (0..kept.num_columns() - 1).collect();
            take(&kept.project(&own).map_err(misfit)?, numbers(&kept, RowColumn::Address.name())?)?;
        }
        Ok(())
    }

    fn places(&self, cancel: &Cancel) -> Result<(RowPlaces, RowPlaces)> {
        let of = |table, fragments: &[u64]| {
            RowPlaces::of_matching(table, fragments, self.filter, self.pages, cancel)
        };
        Ok((of(self.before, &self.differing.before)?, of(self.after, &self.differing.after)?))
    }

    /// Which rows of each side are looked at.
    fn looked_at(&self, cancel: &Cancel) -> Result<(Looked, Looked)> {
        let (old, new) = (places(self.before), places(self.after));
        let (mut gone, mut came) = (HashSet::new(), HashSet::new());
        let mut same = HashSet::new();
        for id in self.differing.shared.iter().filter(|(_, is_other)| !**is_other).map(|(id, _)| *id) {
            cancel.check()?;
            let (Some(earlier), Some(later)) = (old.get(&id), new.get(&id)) else { continue };
            let (was, is) = (self.before.deleted_rows(*earlier)?, self.after.deleted_rows(*later)?);
            let address = |row: u32| id << 32 | u64::from(row);
            gone.extend((&is - &was).iter().map(address));
            came.extend((&was - &is).iter().map(address));
            same.insert(id);
        }
        Ok((Looked { same: same.clone(), rows: gone }, Looked { same, rows: came }))
    }
}

/// Rows that are looked at: all but those of fragments with the same values, of which only some are.
#[derive(Debug)]
struct Looked {
    same: HashSet<u64>,
    rows: HashSet<u64>,
}

impl Looked {
    fn has(&self, address: u64) -> bool {
        !self.same.contains(&(address >> 32)) || self.rows.contains(&address)
    }
}

fn misfit(error: arrow_schema::ArrowError) -> Error {
    Error::internal("the keys of rows do not fit").caused_by(error)
}
