//! Does each snapshot assign row ids of its own?
//!
//! Spec: Row Lineage; Snapshot Row IDs.
//!
//! Invariant: snapshots from before the upgrade to version 3 have no row ids.

use crate::check::keys::{Object, join, long, objects};
use crate::check::rules::snapshots::{NEXT_ROW_ID, ROW_ID_RANGES, SNAPSHOT_ROW_IDS};
use floeberg_core::finding::Findings;

/// Checks the row ids of the snapshots of a table of version 3.
pub(super) fn check_lineage(found: &mut Findings, table: &Object) {
    let mut snapshots = objects(table, "snapshots");
    snapshots.sort_by_key(|(_, snapshot)| long(snapshot, "sequence-number"));
    let next = long(table, "next-row-id");
    let (mut has_begun, mut end) = (false, None::<(i64, i64)>);
    for (part, snapshot) in snapshots {
        let id = long(snapshot, "snapshot-id").unwrap_or(-1);
        found.set_snapshot(Some(id));
        let (first, added) = (long(snapshot, "first-row-id"), long(snapshot, "added-rows"));
        let (first, added) = match (first, added) {
            (Some(first), Some(added)) if first >= 0 && added >= 0 => (first, added),
            (None, None) if !has_begun => continue,
            _ => {
                let shown = |number: Option<i64>| {
                    number.map_or_else(|| "none".to_owned(), |number| number.to_string())
                };
                let message =
                    format_args!("found first-row-id {}, added-rows {}", shown(first), shown(added));
                found.add(&SNAPSHOT_ROW_IDS, &part, message);
                continue;
            }
        };
        has_begun = true;
        let after = first.saturating_add(added);
        if let Some((last, other)) = end
            && first < last
        {
            let message =
                format_args!("it assigns ids from {first} on, and snapshot {other} those up to {last}");
            found.add(&ROW_ID_RANGES, join(&part, "first-row-id"), message);
        }
        if let Some(next) = next
            && after > next
        {
            let message = format_args!("it assigns ids up to {after}, and next-row-id is {next}");
            found.add(&NEXT_ROW_ID, join(&part, "added-rows"), message);
        }
        if end.is_none_or(|(last, _)| after > last) {
            end = Some((after, id));
        }
    }
    found.set_snapshot(None);
}
