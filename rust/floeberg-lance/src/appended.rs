//! Which fragments hold the rows that were appended since a version?
//!
//! In: a version, and an earlier one of its branch. Out: the fragments of the later one with these rows, or the operation that did
//! more than to append.
//!
//! Invariant: every version in between is read. A commit whose effect on rows is unknown is an error.

use std::collections::HashSet;

use floeberg_core::{Cancel, Error, Result};

use crate::metadata::ListedVersion;
use crate::table::Table;
use crate::wire::Operation;

/// What versions did since an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Appended {
    /// They appended rows, and nothing else changed rows or columns.
    Rows {
        /// The fragments that hold only such rows, in the order of the table.
        fragments: Vec<u64>,
        /// The fragments in which a compaction put them beside older ones.
        mixed: Vec<u64>,
    },
    /// A version changed rows or columns otherwise.
    Otherwise {
        /// The first such version.
        version: u64,
        /// Its operation.
        operation: &'static str,
    },
}

/// The rows that were appended after a version, up to the one that is open.
///
/// Errors: `NotFound` for a version in between that is gone; `InvalidInput` for a version that is newer than the open one;
/// `InvalidData`; those of the store.
pub fn appended_since(table: &Table, version: u64, cancel: &Cancel) -> Result<Appended> {
    if version > table.version() {
        let message = format!("expected a version up to {}, found {version}", table.version());
        return Err(Error::invalid_input(message));
    }
    table.check_same()?;
    let listed = table.versions()?;
    let mut before: HashSet<u64> = ids(&at(table, &listed, version)?);
    let (mut new, mut mixed) = (HashSet::new(), HashSet::new());
    for number in version + 1..=table.version() {
        cancel.check()?;
        let next = at(table, &listed, number)?;
        let made = next.transaction()?.unwrap_or_default();
        let after = ids(&next);
        let added: Vec<u64> = after.difference(&before).copied().collect();
        let gone: Vec<u64> = before.difference(&after).copied().collect();
        match &made.operation {
            // Fragments without a row may go with any commit.
            Operation::Append(_) => new.extend(added),
            Operation::Rewrite(_) => {
                if gone.iter().all(|id| new.contains(id)) {
                    new.extend(added);
                } else if gone.iter().any(|id| new.contains(id) || mixed.contains(id)) {
                    mixed.extend(added);
                }
            }
            Operation::CreateIndex(_)
            | Operation::ReserveFragments(_)
            | Operation::UpdateConfig(_)
            | Operation::UpdateBases(_)
            | Operation::Clone(_)
                if added.is_empty() => {}
            other => return Ok(Appended::Otherwise { version: number, operation: other.name() }),
        }
        before = after;
    }
    let in_order = |wanted: &HashSet<u64>| {
        let all = table.manifest().fragments.ids().iter();
        all.copied().filter(|id| wanted.contains(id)).collect()
    };
    Ok(Appended::Rows { fragments: in_order(&new), mixed: in_order(&mixed) })
}

fn at(table: &Table, listed: &[ListedVersion], version: u64) -> Result<Table> {
    if version == table.version() {
        return Ok(table.clone());
    }
    let found = listed.binary_search_by_key(&version, |listed| listed.version).ok();
    let found = found.ok_or_else(|| Error::not_found(format!("version {version} of the table is gone")))?;
    table.at(listed[found])
}

fn ids(table: &Table) -> HashSet<u64> {
    table.manifest().fragments.ids().iter().copied().collect()
}
