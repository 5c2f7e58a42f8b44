//! Which findings still hold?
//!
//! In: findings, perhaps of an older state of the table. Out: those that hold now, and for each of the others why it is left out.
//!
//! Invariant: a finding holds if the same rule is broken in the same part of the same file, whatever else was found there.

use std::collections::HashSet;

use floeberg_core::finding::{Finding, Level};
use floeberg_core::{Cancel, Result};
use floeberg_iceberg::Table;

use crate::check::{Check, CheckRequest, SnapshotsToCheck};

/// What is left out, and why.
pub(super) type Skipped = Vec<(Finding, String)>;

/// The findings that hold of a snapshot: the current one, or that of a branch.
///
/// Errors: those of the store.
pub(super) fn still_true(
    table: &Table,
    snapshot: SnapshotsToCheck,
    given: Vec<Finding>,
    skipped: &mut Skipped,
    cancel: &Cancel,
) -> Result<Vec<Finding>> {
    let Some(level) = given.iter().map(|finding| finding.rule.level).max() else { return Ok(given) };
    let now = found(table, level, snapshot, cancel)?;
    let mut seen = HashSet::new();
    let (held, gone): (Vec<_>, Vec<_>) = given
        .into_iter()
        .filter(|finding| seen.insert(key(finding)))
        .partition(|finding| now.contains(&key(finding)));
    if gone.is_empty() {
        return Ok(held);
    }
    let of_all = if table.metadata().snapshots.len() > 1 {
        found(table, level, SnapshotsToCheck::All, cancel)?
    } else {
        HashSet::new()
    };
    for finding in gone {
        let why = if of_all.contains(&key(&finding)) {
            match snapshot {
                SnapshotsToCheck::One(_) => "it is of files that the branch does not have",
                _ => {
                    "it is of files that only older snapshots have, or another branch: these go with table.maintenance.expire_snapshots, and a branch has a repair of its own"
                }
            }
        } else {
            "it does not hold any more"
        };
        skipped.push((finding, why.to_owned()));
    }
    Ok(held)
}

type Key = (&'static str, String, String);

fn key(finding: &Finding) -> Key {
    (finding.rule.id, finding.location.clone(), finding.part.clone())
}

fn found(table: &Table, level: Level, snapshots: SnapshotsToCheck, cancel: &Cancel) -> Result<HashSet<Key>> {
    let request = CheckRequest { level, snapshots, sample: None };
    Check::of_table(table, request, cancel)?.map(|finding| finding.map(|finding| key(&finding))).collect()
}
