//! Are the snapshots of a table what they may be, and in order?
//!
//! Spec: Snapshots; Sequence Numbers.

use std::collections::{HashMap, HashSet};

use serde_json::Value as Json;

use crate::check::keys::{Object, join, long, objects, text};
use crate::check::rules::snapshots::{
    LAST_SEQUENCE_NUMBER, OPERATION, SEQUENCE_ORDER, SEQUENCE_UNIQUE, SNAPSHOT_MANIFESTS, SNAPSHOT_PARENT,
    SNAPSHOT_SCHEMA, SNAPSHOT_TIME,
};
use floeberg_core::finding::Findings;

use super::DRIFT_MS;
use super::ids::ids_of;
use super::shape::snapshot_version;

const OPERATIONS: [&str; 4] = ["append", "replace", "overwrite", "delete"];

/// Checks the snapshots of a table.
pub(super) fn check_snapshots(found: &mut Findings, table: &Object, version: u8) {
    let snapshots = objects(table, "snapshots");
    let by_id: HashMap<i64, &Object> =
        snapshots.iter().filter_map(|(_, object)| Some((long(object, "snapshot-id")?, *object))).collect();
    let schemas = ids_of(table, "schemas", "schema-id");
    let updated = long(table, "last-updated-ms");
    let circles = own_ancestors(&by_id);
    let mut sequence_numbers = HashSet::new();
    for (part, snapshot) in &snapshots {
        found.set_snapshot(long(snapshot, "snapshot-id"));
        check_manifests(found, part, snapshot, version);
        check_operation(found, part, snapshot, snapshot_version(table, snapshot, version));
        if let Some(id) = long(snapshot, "schema-id")
            && table.contains_key("schemas")
            && !schemas.contains(&id)
        {
            found.add(
                &SNAPSHOT_SCHEMA,
                join(part, "schema-id"),
                format_args!("the table has no schema {id}"),
            );
        }
        if let (Some(time), Some(updated)) = (long(snapshot, "timestamp-ms"), updated)
            && time > updated.saturating_add(DRIFT_MS)
        {
            let message = format_args!("found {time}, after {updated}, when the metadata was written");
            found.add(&SNAPSHOT_TIME, join(part, "timestamp-ms"), message);
        }
        if long(snapshot, "snapshot-id").is_some_and(|id| circles.contains(&id)) {
            found.add(&SNAPSHOT_PARENT, join(part, "parent-snapshot-id"), "it is among its own ancestors");
        }
        if version > 1 {
            check_sequence(found, table, part, snapshot, &by_id, &mut sequence_numbers);
        }
    }
    found.set_snapshot(None);
}

fn check_manifests(found: &mut Findings, part: &str, snapshot: &Object, version: u8) {
    let has = |name: &str| snapshot.get(name).is_some_and(|json| !json.is_null());
    match (has("manifest-list"), has("manifests")) {
        (true, true) => {
            found.add(&SNAPSHOT_MANIFESTS, part, "expected a manifest list or manifests, found both");
        }
        (false, true) if version > 1 => {
            found.add(&SNAPSHOT_MANIFESTS, part, "expected a manifest list, found a list of manifests");
        }
        (false, false) if version == 1 => {
            found.add(&SNAPSHOT_MANIFESTS, part, "expected a manifest list or manifests, found neither");
        }
        // A list that is missing in later versions is a required field.
        _ => {}
    }
}

fn check_operation(found: &mut Findings, part: &str, snapshot: &Object, version: u8) {
    let Some(summary) = snapshot.get("summary").and_then(Json::as_object) else { return };
    let operation = text(summary, "operation");
    if operation.is_none() && version == 1 {
        return;
    }
    if !operation.is_some_and(|operation| OPERATIONS.contains(&operation)) {
        let written = summary.get("operation").map_or_else(|| "none".to_owned(), Json::to_string);
        let message = format_args!("expected one of {OPERATIONS:?}, found {written}");
        found.add(&OPERATION, join(part, "summary.operation"), message);
    }
}

/// The snapshots that are among their own ancestors. Each has one parent, so each is looked at once.
fn own_ancestors(by_id: &HashMap<i64, &Object>) -> HashSet<i64> {
    let parent_of = |id: i64| long(by_id.get(&id)?, "parent-snapshot-id");
    let mut circles = HashSet::new();
    let mut seen = HashSet::new();
    for id in by_id.keys() {
        let mut line = Vec::new();
        let mut next = Some(*id);
        while let Some(above) = next
            && seen.insert(above)
        {
            line.push(above);
            next = parent_of(above);
        }
        // Who was met in this line, and not in an earlier one, closes a circle.
        if let Some(start) = next.and_then(|met| line.iter().position(|known| *known == met)) {
            circles.extend(line.drain(start..));
        }
    }
    circles
}

fn check_sequence(
    found: &mut Findings,
    table: &Object,
    part: &str,
    snapshot: &Object,
    by_id: &HashMap<i64, &Object>,
    seen: &mut HashSet<i64>,
) {
    let at = join(part, "sequence-number");
    let number = long(snapshot, "sequence-number").unwrap_or(0);
    if number != 0 && !seen.insert(number) {
        found.add(&SEQUENCE_UNIQUE, &at, format_args!("another snapshot has {number} too"));
    }
    if let Some(last) = long(table, "last-sequence-number")
        && number > last
    {
        found.add(&LAST_SEQUENCE_NUMBER, &at, format_args!("{number} is above {last}"));
    }
    let parent = long(snapshot, "parent-snapshot-id").and_then(|id| by_id.get(&id));
    if let Some(parent) = parent
        && !std::ptr::eq(*parent, snapshot)
    {
        let before = long(parent, "sequence-number").unwrap_or(0);
        // Equal numbers are a finding of their own, and those of version 1 all have 0.
        if before > number {
            found.add(&SEQUENCE_ORDER, at, format_args!("{number} follows {before} of its parent"));
        }
    }
}
