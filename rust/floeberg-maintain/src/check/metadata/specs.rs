//! Are the partition specs of a table what they may be?
//!
//! Spec: Partitioning; Partition Transforms; Partition Evolution; Appendix C, Partition Specs.

use std::collections::{HashMap, HashSet};

use floeberg_core::schema::Type;
use floeberg_core::transform::Transform;

use crate::check::keys::{Object, join, long, longs, objects, text};
use crate::check::rules::schemas::{
    PARTITION_FIELD_ID, PARTITION_FIELD_MEANING, PARTITION_FIELD_UNIQUE, PARTITION_SOURCE,
    PARTITION_TRANSFORM, SOURCE_FORM, SPEC_KEPT_TWICE, TRANSFORM_KNOWN,
};
use floeberg_core::finding::Findings;

use super::columns::{Column, columns};

/// The first id of a partition field.
const FIRST: i64 = 1000;

/// Checks the partition specs of a table.
pub(super) fn check_specs(found: &mut Findings, table: &Object, version: u8) {
    let current = current_columns(table);
    let last = long(table, "last-partition-id");
    let numbers_fields = numbers_fields(table, version);
    let mut meaning: HashMap<i64, (Vec<i64>, String)> = HashMap::new();
    let mut seen = HashSet::new();
    for (part, spec) in objects(table, "partition-specs") {
        let is_default = long(spec, "spec-id") == long(table, "default-spec-id");
        let (mut ids, mut names, mut content) = (HashSet::new(), HashSet::new(), Vec::new());
        for (below, field) in objects(spec, "fields") {
            let at = join(&part, &below);
            let id = long(field, "field-id");
            let name = text(field, "name").unwrap_or_default();
            if id.is_some_and(|id| !ids.insert(id)) || !names.insert(name) {
                let message = format_args!("the id {} or the name {name:?} is there twice", id.unwrap_or(-1));
                found.add(&PARTITION_FIELD_UNIQUE, &at, message);
            }
            if let Some(id) = id
                && (id < FIRST || last.is_some_and(|last| id > last))
            {
                let last = last.map_or_else(|| "above".to_owned(), |last| last.to_string());
                let message = format_args!("expected an id from {FIRST} to {last}, found {id}");
                found.add(&PARTITION_FIELD_ID, join(&at, "field-id"), message);
            }
            let sources = check_sources(found, field, &at);
            let written = text(field, "transform").unwrap_or_default().to_owned();
            let transform = known_transform(found, field, &at);
            if is_default && let Some(transform) = &transform {
                check_source(found, &at, transform, &sources, &current);
            }
            if let Some(id) = id.filter(|_| numbers_fields && written != "void") {
                let here = (sources.clone(), written.clone());
                let before = meaning.entry(id).or_insert_with(|| here.clone());
                if *before != here {
                    let message =
                        format_args!("it is {} of {:?}, and {} of {:?}", before.1, before.0, here.1, here.0);
                    found.add(&PARTITION_FIELD_MEANING, join(&at, "field-id"), message);
                }
            }
            content.push((sources, written, name.to_owned()));
        }
        if !seen.insert(content) {
            found.add(&SPEC_KEPT_TWICE, &part, "another spec has the same fields");
        }
    }
}

/// Did every version of the table number its partition fields? The first did not.
fn numbers_fields(table: &Object, version: u8) -> bool {
    let is_numbered = |snapshot: &Object| long(snapshot, "sequence-number") > Some(0);
    version > 1 && objects(table, "snapshots").iter().all(|(_, snapshot)| is_numbered(snapshot))
}

/// The columns of the current schema, by their ids.
pub(super) fn current_columns(table: &Object) -> HashMap<i64, Column<'_>> {
    let current = long(table, "current-schema-id");
    let schemas = objects(table, "schemas");
    let schema =
        schemas.into_iter().find(|(_, schema)| long(schema, "schema-id") == current && current.is_some());
    let columns = schema.map(|(part, schema)| columns(schema, &part)).unwrap_or_default();
    columns.into_iter().map(|column| (column.id, column)).collect()
}

/// The sources of a field of a spec or a sort order.
pub(super) fn check_sources(found: &mut Findings, field: &Object, at: &str) -> Vec<i64> {
    match (field.get("source-id"), field.get("source-ids")) {
        (Some(_), None) => long(field, "source-id").into_iter().collect(),
        (None, Some(_)) => longs(field, "source-ids"),
        (one, _) => {
            let what = if one.is_some() { "both" } else { "neither" };
            found.add(&SOURCE_FORM, at, format_args!("expected source-id or source-ids, found {what}"));
            long(field, "source-id").into_iter().collect()
        }
    }
}

/// The transform of a field, if the specification has it.
pub(super) fn known_transform(found: &mut Findings, field: &Object, at: &str) -> Option<Transform> {
    let written = text(field, "transform")?;
    match written.parse() {
        Ok(Transform::Unknown(_)) | Err(_) => {
            found.add(&TRANSFORM_KNOWN, join(at, "transform"), format_args!("found {written:?}"));
            None
        }
        Ok(transform) => Some(transform),
    }
}

fn check_source(
    found: &mut Findings,
    at: &str,
    transform: &Transform,
    sources: &[i64],
    current: &HashMap<i64, Column<'_>>,
) {
    if *transform == Transform::Void || current.is_empty() {
        return;
    }
    for source in sources {
        let Some(column) = current.get(source).filter(|column| !column.repeated) else {
            let message = format_args!("the current schema has no column {source} outside of lists and maps");
            found.add(&PARTITION_SOURCE, at, message);
            continue;
        };
        let Some(field_type) = column.field_type() else { continue };
        if !matches!(field_type, Type::Unrecognized(_)) && !transform.accepts(&field_type) {
            let message =
                format_args!("the transform {transform} does not take column {source}, of type {field_type}");
            found.add(&PARTITION_TRANSFORM, at, message);
        }
    }
}
