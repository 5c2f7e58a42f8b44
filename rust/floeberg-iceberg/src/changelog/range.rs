//! Which snapshots are after one, up to another?
//!
//! In: a snapshot, exclusive, and a later one of its line. Out: the snapshots, oldest first, each with its parent.
//! Spec: Snapshots (`parent-snapshot-id`, `operation`).
//!
//! Invariant: a range with an expired snapshot is an error: what it changed is not known any more.

use std::sync::Arc;

use floeberg_core::{Error, Result};

use crate::metadata::{Snapshot, TableMetadata};

/// The operation of a snapshot that changes files and no rows.
const REPLACE: &str = "replace";
/// The operation of a snapshot that only adds.
const APPEND: &str = "append";
/// What the summary of an append does not count.
const NOT_OF_APPENDS: [&str; 3] = ["deleted-data-files", "added-delete-files", "removed-delete-files"];

/// What is compared for the changes of a snapshot, or of several at once.
#[derive(Debug, Clone)]
pub(super) struct Compared {
    /// From 0.
    pub ordinal: i32,
    /// The state before; `None` for an empty table.
    pub before: Option<Arc<Snapshot>>,
    /// The state after.
    pub after: Arc<Snapshot>,
    /// Are the changes those of one snapshot, which only added rows?
    pub is_append: bool,
}

/// The snapshots of a range that changed rows. With `net`, the two ends of the range.
///
/// Errors: `InvalidInput` where the first is not an ancestor of the last, or a snapshot between them was expired.
pub(super) fn compared(
    metadata: &TableMetadata,
    start: Option<i64>,
    end: Option<&Arc<Snapshot>>,
    net: bool,
) -> Result<Vec<Compared>> {
    let Some(end) = end else {
        return match start {
            None => Ok(Vec::new()),
            Some(start) => Err(Error::invalid_input(format!(
                "snapshot {start} was not found: the table has no snapshot"
            ))),
        };
    };
    let line = metadata.ancestors_of(end.snapshot_id);
    let first = first_of(metadata, start, end, &line)?;
    let parents = line.iter().skip(1).cloned().map(Some).chain([None]);
    let in_range = line.iter().cloned().zip(parents).take(first);
    let changes_rows =
        |(after, _): &(Arc<Snapshot>, Option<Arc<Snapshot>>)| after.operation.as_deref() != Some(REPLACE);
    let mut changing: Vec<_> = in_range.filter(changes_rows).collect();
    changing.reverse();
    if net && !changing.is_empty() {
        changing = vec![(Arc::clone(end), line.get(first).cloned())];
    }
    let numbered = changing.into_iter().zip(0..);
    let each = |((after, before), ordinal): ((Arc<Snapshot>, _), i32)| {
        let is_append = !net && only_adds(&after);
        Compared { ordinal, before, after, is_append }
    };
    Ok(numbered.map(each).collect())
}

/// Any two snapshots, whatever is between them; nothing where both are the same.
///
/// Errors: `NotFound` for a start that the table does not have.
pub(super) fn two_ends(
    metadata: &TableMetadata,
    start: Option<i64>,
    end: Option<&Arc<Snapshot>>,
) -> Result<Vec<Compared>> {
    let before = start.map(|start| metadata.snapshot(start).cloned()).transpose()?;
    let after = end.filter(|end| start != Some(end.snapshot_id));
    let both = after.map(|after| Compared { ordinal: 0, before, after: Arc::clone(after), is_append: false });
    Ok(both.into_iter().collect())
}

/// Did a snapshot only add rows, as its operation and its summary say?
fn only_adds(snapshot: &Snapshot) -> bool {
    let has = |key: &str| snapshot.summary.get(key).is_some_and(|count| count != "0");
    snapshot.operation.as_deref() == Some(APPEND) && !NOT_OF_APPENDS.into_iter().any(has)
}

/// How many snapshots of a line, which begins with the newest, are after the start.
fn first_of(
    metadata: &TableMetadata,
    start: Option<i64>,
    end: &Snapshot,
    line: &[Arc<Snapshot>],
) -> Result<usize> {
    let end = end.snapshot_id;
    let oldest = line.last();
    let expired = oldest.and_then(|oldest| Some((oldest.snapshot_id, oldest.parent_snapshot_id?)));
    if let Some(start) = start {
        if let Some(place) = line.iter().position(|snapshot| snapshot.snapshot_id == start) {
            return Ok(place);
        }
        let is_known = metadata.snapshot(start).is_ok();
        return Err(Error::invalid_input(match (is_known, expired) {
            (true, None) => format!(
                "snapshot {start} is not an ancestor of snapshot {end}. Start from a snapshot of the branch that ends there"
            ),
            (true, Some((oldest, _))) => format!(
                "snapshot {start} is not an ancestor of snapshot {end}, or a snapshot between them was expired. The \
                 earliest start is snapshot {oldest}"
            ),
            (false, _) => {
                let earliest = oldest.map_or(end, |oldest| oldest.snapshot_id);
                format!(
                    "snapshot {start} was not found: the table does not have it, or it was expired. The earliest start \
                     is snapshot {earliest}; or read the table at snapshot {end}"
                )
            }
        })
        .with("snapshot", start));
    }
    match expired {
        None => Ok(line.len()),
        Some((oldest, parent)) => Err(Error::invalid_input(format!(
            "snapshot {parent} was expired, so the changes of snapshot {oldest}, which came after it, are not known. The \
             earliest start is snapshot {oldest}"
        ))
        .with("snapshot", parent)),
    }
}
