//! Which fields does a metadata file have, of which types?
//!
//! Spec: Table Metadata Fields; Appendix C; Snapshots; Snapshot References; Table Statistics; Encryption Keys.

use serde_json::Value as Json;

use crate::check::keys::{
    FROM_2, FROM_3, Key, Kind, ONLY_1, OPTIONAL, Object, REQUIRED, REQUIRED_FROM_2, REQUIRED_IN_3,
    check_keys, join, long, objects,
};
use crate::check::rules::documents::FIELD_TYPE;
use floeberg_core::finding::Findings;

use super::columns::columns;

const TABLE: &[Key] = &[
    ("table-uuid", Kind::Text, REQUIRED_FROM_2),
    ("location", Kind::Text, REQUIRED),
    ("last-sequence-number", Kind::Long, FROM_2),
    ("last-updated-ms", Kind::Long, REQUIRED),
    ("last-column-id", Kind::Int, REQUIRED),
    ("schema", Kind::Object, ONLY_1),
    ("schemas", Kind::Objects, REQUIRED_FROM_2),
    ("current-schema-id", Kind::Int, REQUIRED_FROM_2),
    ("partition-spec", Kind::Objects, ONLY_1),
    ("partition-specs", Kind::Objects, REQUIRED_FROM_2),
    ("default-spec-id", Kind::Int, REQUIRED_FROM_2),
    ("last-partition-id", Kind::Int, REQUIRED_FROM_2),
    ("properties", Kind::TextMap, OPTIONAL),
    ("current-snapshot-id", Kind::Long, OPTIONAL),
    ("snapshots", Kind::Objects, OPTIONAL),
    ("snapshot-log", Kind::Objects, OPTIONAL),
    ("metadata-log", Kind::Objects, OPTIONAL),
    ("sort-orders", Kind::Objects, REQUIRED_FROM_2),
    ("default-sort-order-id", Kind::Int, REQUIRED_FROM_2),
    ("refs", Kind::Object, OPTIONAL),
    ("statistics", Kind::Objects, OPTIONAL),
    ("partition-statistics", Kind::Objects, OPTIONAL),
    ("next-row-id", Kind::Long, REQUIRED_IN_3),
    ("encryption-keys", Kind::Objects, FROM_3),
];
const SCHEMA: &[Key] = &[
    ("type", Kind::Text, REQUIRED),
    ("schema-id", Kind::Int, REQUIRED),
    ("fields", Kind::Objects, REQUIRED),
    ("identifier-field-ids", Kind::Longs, OPTIONAL),
];
const FIELD: &[Key] = &[
    ("id", Kind::Int, REQUIRED),
    ("name", Kind::Text, REQUIRED),
    ("required", Kind::Boolean, REQUIRED),
    ("type", Kind::Any, REQUIRED),
    ("doc", Kind::Text, OPTIONAL),
];
const SPEC: &[Key] = &[("spec-id", Kind::Int, REQUIRED), ("fields", Kind::Objects, REQUIRED)];
const SPEC_FIELD: &[Key] = &[
    ("field-id", Kind::Int, REQUIRED_FROM_2),
    ("name", Kind::Text, REQUIRED),
    ("transform", Kind::Text, REQUIRED),
    ("source-id", Kind::Int, OPTIONAL),
    ("source-ids", Kind::Longs, FROM_3),
];
const ORDER: &[Key] = &[("order-id", Kind::Int, REQUIRED), ("fields", Kind::Objects, REQUIRED)];
const ORDER_FIELD: &[Key] = &[
    ("transform", Kind::Text, REQUIRED),
    ("source-id", Kind::Int, OPTIONAL),
    ("source-ids", Kind::Longs, FROM_3),
];
const SNAPSHOT: &[Key] = &[
    ("snapshot-id", Kind::Long, REQUIRED),
    ("parent-snapshot-id", Kind::Long, OPTIONAL),
    ("sequence-number", Kind::Long, FROM_2),
    ("timestamp-ms", Kind::Long, REQUIRED),
    ("manifest-list", Kind::Text, REQUIRED_FROM_2),
    ("summary", Kind::TextMap, REQUIRED_FROM_2),
    ("schema-id", Kind::Int, OPTIONAL),
    ("first-row-id", Kind::Long, FROM_3),
    ("added-rows", Kind::Long, FROM_3),
    ("key-id", Kind::Text, FROM_3),
];
const REF: &[Key] = &[
    ("snapshot-id", Kind::Long, REQUIRED),
    ("type", Kind::Text, REQUIRED),
    ("min-snapshots-to-keep", Kind::Int, OPTIONAL),
    ("max-snapshot-age-ms", Kind::Long, OPTIONAL),
    ("max-ref-age-ms", Kind::Long, OPTIONAL),
];
const SNAPSHOT_LOG: &[Key] = &[("timestamp-ms", Kind::Long, REQUIRED), ("snapshot-id", Kind::Long, REQUIRED)];
const METADATA_LOG: &[Key] =
    &[("timestamp-ms", Kind::Long, REQUIRED), ("metadata-file", Kind::Text, REQUIRED)];
const STATISTICS: &[Key] = &[
    ("snapshot-id", Kind::Long, REQUIRED),
    ("statistics-path", Kind::Text, REQUIRED),
    ("file-size-in-bytes", Kind::Long, REQUIRED),
    ("file-footer-size-in-bytes", Kind::Long, REQUIRED),
    ("key-metadata", Kind::Text, OPTIONAL),
    ("blob-metadata", Kind::Objects, REQUIRED),
];
const BLOB: &[Key] = &[
    ("type", Kind::Text, REQUIRED),
    ("snapshot-id", Kind::Long, REQUIRED),
    ("sequence-number", Kind::Long, REQUIRED),
    ("fields", Kind::Longs, REQUIRED),
    ("properties", Kind::TextMap, OPTIONAL),
];
const PARTITION_STATISTICS: &[Key] = &[
    ("snapshot-id", Kind::Long, REQUIRED),
    ("statistics-path", Kind::Text, REQUIRED),
    ("file-size-in-bytes", Kind::Long, REQUIRED),
];
const ENCRYPTION_KEY: &[Key] = &[
    ("key-id", Kind::Text, REQUIRED),
    ("encrypted-key-metadata", Kind::Text, REQUIRED),
    ("encrypted-by-id", Kind::Text, OPTIONAL),
    ("properties", Kind::TextMap, OPTIONAL),
];

/// The objects of a list of a table, and the lists in them.
type Listed = (&'static str, &'static [Key], Option<(&'static str, &'static [Key])>);

const LISTS: &[Listed] = &[
    ("partition-specs", SPEC, Some(("fields", SPEC_FIELD))),
    ("sort-orders", ORDER, Some(("fields", ORDER_FIELD))),
    ("snapshot-log", SNAPSHOT_LOG, None),
    ("metadata-log", METADATA_LOG, None),
    ("statistics", STATISTICS, Some(("blob-metadata", BLOB))),
    ("partition-statistics", PARTITION_STATISTICS, None),
    ("encryption-keys", ENCRYPTION_KEY, None),
];

/// Checks the fields of the metadata of a table.
pub(super) fn check_shape(found: &mut Findings, table: &Object, version: u8) {
    check_keys(found, "", table, TABLE, version);
    for (name, keys, below) in LISTS {
        for (part, object) in objects(table, name) {
            check_keys(found, &part, object, keys, version);
            let Some((name, keys)) = below else { continue };
            for (below, object) in objects(object, name) {
                check_keys(found, &join(&part, &below), object, keys, version);
            }
        }
    }
    check_schemas_shape(found, table, version);
    for (part, snapshot) in objects(table, "snapshots") {
        found.set_snapshot(long(snapshot, "snapshot-id"));
        check_keys(found, &part, snapshot, SNAPSHOT, snapshot_version(table, snapshot, version));
        found.set_snapshot(None);
    }
    let refs = table.get("refs").and_then(Json::as_object);
    for (name, json) in refs.into_iter().flatten() {
        let part = format!("refs.{name}");
        match json.as_object() {
            Some(object) => check_keys(found, &part, object, REF, version),
            None => found.add(&FIELD_TYPE, part, format_args!("expected an object, found {json}")),
        }
    }
}

/// Checks the fields of schemas, of a table or a view.
pub(super) fn check_schemas_shape(found: &mut Findings, holder: &Object, version: u8) {
    for (part, schema) in objects(holder, "schemas") {
        check_keys(found, &part, schema, SCHEMA, version);
        for (below, field) in objects(schema, "fields") {
            check_keys(found, &join(&part, &below), field, FIELD, version);
        }
        // Fields at the top were looked at, whatever they lack.
        for column in
            columns(schema, &part).iter().filter(|column| column.is_field && !column.above.is_empty())
        {
            check_keys(found, &column.part, column.declared, FIELD, version);
        }
    }
}

/// The version that a snapshot was written in: those of version 1 have no sequence number, also in tables that were upgraded.
pub(super) fn snapshot_version(table: &Object, snapshot: &Object, version: u8) -> u8 {
    if version == 1 || snapshot.contains_key("sequence-number") {
        return version;
    }
    let parent = long(snapshot, "parent-snapshot-id");
    let is_after_2 = objects(table, "snapshots").iter().any(|(_, other)| {
        long(other, "snapshot-id") == parent && parent.is_some() && long(other, "sequence-number") > Some(0)
    });
    let is_first = parent.is_none() && long(table, "last-sequence-number") > Some(0);
    let has_none_beside = objects(table, "snapshots").len() == 1;
    if is_after_2 || (is_first && has_none_beside) { version } else { 1 }
}
