//! Are the logs of a table in order, and do they end where the table is?
//!
//! Spec: Table Metadata Fields (`snapshot-log`, `metadata-log`); Point in Time Reads.

use floeberg_core::finding::{Findings, Rule};

use crate::check::keys::{Object, join, long, objects};
use crate::check::rules::documents::METADATA_LOG_ORDER;
use crate::check::rules::snapshots::{SNAPSHOT_LOG_END, SNAPSHOT_LOG_NAMES, SNAPSHOT_LOG_ORDER};

use super::DRIFT_MS;
use super::ids::{current_snapshot, ids_of};

/// Checks the logs of a table.
pub(super) fn check_logs(found: &mut Findings, table: &Object) {
    let ids = ids_of(table, "snapshots", "snapshot-id");
    let log = objects(table, "snapshot-log");
    for (part, entry) in &log {
        if let Some(id) = long(entry, "snapshot-id")
            && !ids.contains(&id)
        {
            found.add(
                &SNAPSHOT_LOG_NAMES,
                join(part, "snapshot-id"),
                format_args!("the table has no snapshot {id}"),
            );
        }
    }
    let last = log.last().and_then(|(_, entry)| long(entry, "snapshot-id"));
    if let (Some(last), Some(current)) = (last, current_snapshot(table))
        && last != current
        && ids.contains(&last)
        && ids.contains(&current)
    {
        found.add(&SNAPSHOT_LOG_END, "snapshot-log", format_args!("expected {current}, found {last}"));
    }
    let updated = long(table, "last-updated-ms");
    check_order(found, table, "snapshot-log", updated, &SNAPSHOT_LOG_ORDER);
    check_order(found, table, "metadata-log", updated, &METADATA_LOG_ORDER);
}

/// Checks that the entries of a log are in the order of time, and not after the metadata that has them.
pub(super) fn check_order(
    found: &mut Findings,
    holder: &Object,
    log: &str,
    updated: Option<i64>,
    rule: &'static Rule,
) {
    let mut before = None::<i64>;
    for (part, entry) in objects(holder, log) {
        let Some(time) = long(entry, "timestamp-ms") else { continue };
        let at = join(&part, "timestamp-ms");
        if let Some(before) = before
            && time < before.saturating_sub(DRIFT_MS)
        {
            found.add(rule, at, format_args!("{time} follows {before}"));
        } else if let Some(updated) = updated
            && time > updated.saturating_add(DRIFT_MS)
        {
            found.add(rule, at, format_args!("{time} is after {updated}, when the metadata was written"));
        }
        before = Some(time);
    }
}
