//! What is better done than a rebuild, and what does nothing prove?
//!
//! In: the base of the new table. Out: a sentence for the result.
//! Spec: Snapshot References; Manifest Lists.
//!
//! Invariant: only metadata says which snapshot is the current one of `main`. A list alone never does.

use super::base::Base;
use super::request::RebuildRequest;

const REPAIR: &str = "the table opens as it is, and all of its files are there: table.repair mends what a check finds, and keeps its \
                      snapshots, its name and its history";

/// The advice of a result; `None` where there is nothing to say.
pub(super) fn advice(base: Option<&Base>, is_sound: bool, request: &RebuildRequest) -> Option<String> {
    if is_sound {
        return Some(REPAIR.to_owned());
    }
    let base = base.filter(|base| base.source == "manifest-list" && request.snapshot_id.is_none())?;
    let id = base.snapshot_id?;
    let parent = match base.parent_snapshot_id {
        Some(parent) => format!("snapshot_id={parent} takes the snapshot before it"),
        None => "its manifest list names no snapshot before it".to_owned(),
    };
    Some(format!(
        "nothing proves that snapshot {id}, that of the newest manifest list, was committed to main: it may be of a branch, staged by \
         wap.id, rolled back, or of a commit that failed. Compare its rows with what is known of the table; {parent}"
    ))
}
