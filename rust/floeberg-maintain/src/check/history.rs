//! Did the metadata of a table change as it may, from one file to the next?
//!
//! In: the metadata files of the log, oldest first. Out: findings.
//! Spec: Table Metadata Fields; Schemas; Partitioning; Sorting; Snapshots.
//!
//! Invariant: of each file only hashes of its parts are kept.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value as Json;

use super::keys::{Object, long, objects, text};
use super::rules::documents::{HISTORY_UNCHANGED, METADATA_LOG_TIME, NOTHING_GOES_BACK, UUID_UNCHANGED};
use floeberg_core::finding::Findings;

const GROWING: [&str; 5] =
    ["format-version", "last-column-id", "last-partition-id", "last-sequence-number", "next-row-id"];
const LISTS: [(&str, &str); 4] = [
    ("schemas", "schema-id"),
    ("partition-specs", "spec-id"),
    ("sort-orders", "order-id"),
    ("snapshots", "snapshot-id"),
];

/// What is kept of a metadata file.
#[derive(Debug, Clone)]
pub(super) struct Past {
    updated_ms: Option<i64>,
    uuid: Option<String>,
    numbers: [Option<i64>; 5],
    /// By list and id, the hash of what may not change.
    parts: HashMap<(usize, i64), u64>,
}

impl Past {
    /// Of a document.
    pub(super) fn new(table: &Object) -> Self {
        let mut parts = HashMap::new();
        for (number, (list, id)) in LISTS.iter().enumerate() {
            for (_, object) in objects(table, list) {
                let Some(id) = long(object, id) else { continue };
                let mut hasher = DefaultHasher::new();
                hash_object(object, &mut hasher);
                parts.insert((number, id), hasher.finish());
            }
        }
        Self {
            updated_ms: long(table, "last-updated-ms"),
            uuid: text(table, "table-uuid").map(str::to_owned),
            numbers: GROWING.map(|name| long(table, name)),
            parts,
        }
    }

    /// Checks the time that the log says of a file.
    pub(super) fn check_time(&self, said: Option<i64>, location: &str) -> Findings {
        let mut found = Findings::of(location);
        if let (Some(said), Some(own)) = (said, self.updated_ms)
            && said != own
        {
            found.add(
                &METADATA_LOG_TIME,
                "last-updated-ms",
                format_args!("the log says {said}, the file {own}"),
            );
        }
        found
    }

    /// Checks that a file may follow this one.
    pub(super) fn check_next(&self, next: &Self, location: &str) -> Findings {
        let mut found = Findings::of(location);
        if let (Some(was), Some(now)) = (&self.uuid, &next.uuid)
            && now != was
        {
            found.add(&UUID_UNCHANGED, "table-uuid", format_args!("{was} became {now}"));
        }
        for ((name, was), now) in GROWING.iter().zip(self.numbers).zip(next.numbers) {
            // A number that is not there any more is a finding of its own.
            if let (Some(was), Some(now)) = (was, now)
                && was > now
            {
                found.add(&NOTHING_GOES_BACK, name, format_args!("{was} became {now}"));
            }
        }
        let mut changed: Vec<_> = self
            .parts
            .iter()
            .filter(|(key, hash)| next.parts.get(*key).is_some_and(|now| now != *hash))
            .map(|(key, _)| *key)
            .collect();
        changed.sort_unstable();
        for (list, id) in changed {
            let (list, name) = LISTS[list];
            found.add(
                &HISTORY_UNCHANGED,
                list,
                format_args!("the one with the {name} {id} was another before"),
            );
        }
        found
    }
}

/// Hashes what of a schema, spec, order or snapshot may not change: ids that version 1 left out, and the order of keys, do not count.
fn hash(json: &Json, hasher: &mut DefaultHasher) {
    match json {
        Json::Object(object) => hash_object(object, hasher),
        Json::Array(list) => {
            list.len().hash(hasher);
            for json in list {
                hash(json, hasher);
            }
        }
        // PyIceberg writes `decimal(9, 2)` where others write `decimal(9,2)`.
        Json::String(text) => text.replace(", ", ",").hash(hasher),
        other => other.to_string().hash(hasher),
    }
}

fn hash_object(object: &Object, hasher: &mut DefaultHasher) {
    let ignored = ["schema-id", "identifier-field-ids", "sequence-number", "field-id"];
    let mut keys: Vec<_> =
        object.iter().filter(|(key, json)| !ignored.contains(&key.as_str()) && !json.is_null()).collect();
    keys.sort_unstable_by_key(|(key, _)| key.as_str());
    for (key, json) in keys {
        key.hash(hasher);
        hash(json, hasher);
    }
}
