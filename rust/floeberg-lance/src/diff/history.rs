//! What did the versions between two versions of a branch do, and does it prove that no row differs?
//!
//! In: two versions. Out: what their transactions say. No data file is opened.
//! Spec: Lance, Transaction Types.
//!
//! Invariant: a version that is gone, or that nothing says anything about, may have done anything. Counts of rows that contradict the
//! transactions are no proof.

use floeberg_core::{Cancel, ErrorKind, Result};

use super::fragments::{Differing, live};
use crate::changes::made_by;
use crate::differences::may_replace_values;
use crate::table::Table;
use crate::wire::Operation;

/// What proves that no row differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// Both are one version.
    SameVersion,
    /// Both have the same fragments, with the same files.
    SameFragments,
    /// All versions from the one to the other only wrote rows again, or changed no rows.
    Rewrites,
}

impl Proof {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::SameVersion => "same version",
            Self::SameFragments => "same fragments",
            Self::Rewrites => "rewrites only",
        }
    }
}

/// What the versions of a range did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct History {
    /// Was no row changed?
    only_rewrites: bool,
    /// May rows have been moved?
    pub(super) may_move: bool,
    /// May rows have got other values without a word about them?
    pub(super) may_replace: bool,
}

impl History {
    /// Of the versions after the earlier one, up to the later one. Errors: `InvalidData`; those of the store; `Cancelled`.
    pub(super) fn between(one: &Table, other: &Table, cancel: &Cancel) -> Result<Self> {
        let (first, last) = if one.version() < other.version() { (one, other) } else { (other, one) };
        let mut history = Self { only_rewrites: true, may_move: false, may_replace: false };
        for version in first.version() + 1..=last.version() {
            cancel.check()?;
            let made = match last.at_version(version).and_then(|table| made_by(&table)) {
                Err(error) if error.kind() == ErrorKind::NotFound => None,
                made => made?,
            };
            history.only_rewrites &= made.as_ref().is_some_and(changes_no_row);
            history.may_move |= made.as_ref().is_none_or(may_move);
            history.may_replace |= made.as_ref().is_none_or(may_replace_values);
            if made.is_none() {
                // Nothing more can be learnt.
                return Ok(Self { only_rewrites: false, may_move: true, may_replace: true });
            }
        }
        Ok(history)
    }
}

fn changes_no_row(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Rewrite(_)
            | Operation::ReserveFragments(_)
            | Operation::CreateIndex(_)
            | Operation::UpdateConfig(_)
    )
}

/// A version that is restored may have what was moved since, or have moved what is again where it was.
fn may_move(operation: &Operation) -> bool {
    matches!(operation, Operation::Rewrite(_) | Operation::Restore(_) | Operation::Unknown(..))
}

/// What proves that no row differs, if anything does. Errors: those of [`History::between`].
pub(super) fn proof(
    before: &Table,
    after: &Table,
    differing: &Differing,
    cancel: &Cancel,
) -> Result<Option<Proof>> {
    if before.version() == after.version() {
        return Ok(Some(Proof::SameVersion));
    }
    if differing.is_empty() {
        return Ok(Some(Proof::SameFragments));
    }
    let rows =
        |table: &Table| (0..table.manifest().fragments.len()).map(|place| live(table, place)).sum::<u64>();
    let is_proved = rows(before) == rows(after) && History::between(before, after, cancel)?.only_rewrites;
    Ok(is_proved.then_some(Proof::Rewrites))
}
