//! Do statistics, the name mapping, keys and the fields that version 1 writes twice fit the rest?
//!
//! Spec: Table Statistics; Partition Statistics; Name Mapping Serialization; Encryption Keys; Table Metadata Fields.

use std::collections::HashSet;

use floeberg_core::schema::{MappedField, NameMapping};
use floeberg_properties::NAME_MAPPING;
use serde_json::Value as Json;

use crate::check::keys::{Object, join, long, objects, text};
use crate::check::rules::documents::{
    DEPRECATED_COPIES, ENCRYPTION_KEYS, NAME_MAPPING as MAPPING, NAME_MAPPING_IDS, STATISTICS_ONCE,
    STATISTICS_SNAPSHOT,
};
use floeberg_core::finding::Findings;

use super::columns::columns;
use super::ids::ids_of;

/// Checks the statistics files that the metadata names.
pub(super) fn check_statistics(found: &mut Findings, table: &Object) {
    let ids = ids_of(table, "snapshots", "snapshot-id");
    for list in ["statistics", "partition-statistics"] {
        let mut seen = HashSet::new();
        for (part, file) in objects(table, list) {
            let Some(id) = long(file, "snapshot-id") else { continue };
            let at = join(&part, "snapshot-id");
            if !ids.contains(&id) {
                found.add(&STATISTICS_SNAPSHOT, at, format_args!("the table has no snapshot {id}"));
            } else if !seen.insert(id) {
                found.add(&STATISTICS_ONCE, at, format_args!("snapshot {id} has another file"));
            }
        }
    }
}

/// Checks the name mapping.
pub(super) fn check_mapping(found: &mut Findings, table: &Object) {
    let properties = table.get("properties").and_then(Json::as_object);
    let Some(written) = properties.and_then(|properties| text(properties, NAME_MAPPING)) else { return };
    let at = format!("properties.{NAME_MAPPING}");
    let mapping = match NameMapping::from_json(written) {
        Ok(mapping) => mapping,
        Err(error) => return found.add(&MAPPING, at, error.message()),
    };
    let schemas = objects(table, "schemas");
    let known: HashSet<i64> =
        schemas.iter().flat_map(|(part, schema)| columns(schema, part)).map(|column| column.id).collect();
    let Ok(json) = serde_json::from_str::<Json>(written) else { return };
    let mut unknown = Vec::new();
    add_unknown(&json, &mapping, &known, &mut unknown);
    for id in unknown {
        found.add(&NAME_MAPPING_IDS, &at, format_args!("no schema has a field {id}"));
    }
}

/// The ids of a mapping that no schema has. The depth is that of the JSON, which was parsed.
fn add_unknown(json: &Json, mapping: &NameMapping, known: &HashSet<i64>, unknown: &mut Vec<i32>) {
    for field in json.as_array().map_or(&[][..], Vec::as_slice) {
        let names = field.get("names").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        let mapped = names.first().and_then(Json::as_str).and_then(|name| mapping.get(name));
        if let Some(id) = mapped.and_then(MappedField::field_id)
            && !known.contains(&i64::from(id))
        {
            unknown.push(id);
        }
        if let (Some(mapped), Some(below)) = (mapped, field.get("fields")) {
            add_unknown(below, mapped.children(), known, unknown);
        }
    }
}

/// Checks encryption keys, and who names them.
pub(super) fn check_encryption_keys(found: &mut Findings, table: &Object) {
    let keys = objects(table, "encryption-keys");
    let mut ids = HashSet::new();
    for (part, key) in &keys {
        if let Some(id) = text(key, "key-id")
            && !ids.insert(id)
        {
            found.add(&ENCRYPTION_KEYS, join(part, "key-id"), format_args!("the key {id:?} is there twice"));
        }
    }
    for (part, snapshot) in objects(table, "snapshots") {
        if let Some(id) = text(snapshot, "key-id")
            && !ids.contains(id)
        {
            found.add(&ENCRYPTION_KEYS, join(&part, "key-id"), format_args!("the table has no key {id:?}"));
        }
    }
}

/// Checks that what version 1 writes twice is the same.
pub(super) fn check_copies(found: &mut Findings, table: &Object) {
    let chosen = |list: &str, id: &str, current: &str| {
        let number = long(table, current)?;
        let all = objects(table, list);
        let one = all.into_iter().find(|(_, object)| long(object, id) == Some(number))?.1;
        one.get("fields")
    };
    if let (Some(fields), Some(schema)) = (
        chosen("schemas", "schema-id", "current-schema-id"),
        table.get("schema").and_then(|schema| schema.get("fields")),
    ) && fields != schema
    {
        found.add(&DEPRECATED_COPIES, "schema", "it is not the current schema");
    }
    if let (Some(fields), Some(spec)) =
        (chosen("partition-specs", "spec-id", "default-spec-id"), table.get("partition-spec"))
        && fields != spec
    {
        found.add(&DEPRECATED_COPIES, "partition-spec", "it is not the default spec");
    }
}
