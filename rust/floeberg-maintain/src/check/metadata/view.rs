//! What is wrong with the metadata of a view?
//!
//! Spec: View Metadata; Versions; Representations; Version log.

use std::collections::HashSet;

use serde_json::Value as Json;

use crate::check::keys::{Key, Kind, OPTIONAL, Object, REQUIRED, check_keys, join, long, objects, text};
use crate::check::rules::documents::FORMAT_VERSION;
use crate::check::rules::schemas::SCHEMA_ID_UNIQUE;
use crate::check::rules::views::{
    VIEW_CURRENT_VERSION, VIEW_DIALECT, VIEW_LOG_END, VIEW_LOG_ORDER, VIEW_REPRESENTATION, VIEW_SCHEMA,
    VIEW_VERSION_UNIQUE,
};
use floeberg_core::finding::Findings;

use super::columns::columns;
use super::ids::{check_unique, check_uuid, ids_of};
use super::logs::check_order;
use super::schemas::check_columns;
use super::shape::check_schemas_shape;

const VIEW: &[Key] = &[
    ("view-uuid", Kind::Text, REQUIRED),
    ("format-version", Kind::Int, REQUIRED),
    ("location", Kind::Text, REQUIRED),
    ("schemas", Kind::Objects, REQUIRED),
    ("current-version-id", Kind::Int, REQUIRED),
    ("versions", Kind::Objects, REQUIRED),
    ("version-log", Kind::Objects, REQUIRED),
    ("properties", Kind::TextMap, OPTIONAL),
];
const VERSION: &[Key] = &[
    ("version-id", Kind::Int, REQUIRED),
    ("schema-id", Kind::Int, REQUIRED),
    ("timestamp-ms", Kind::Long, REQUIRED),
    ("summary", Kind::TextMap, REQUIRED),
    ("representations", Kind::Objects, REQUIRED),
    ("default-catalog", Kind::Text, OPTIONAL),
    ("default-namespace", Kind::Texts, REQUIRED),
];
const LOG: &[Key] = &[("timestamp-ms", Kind::Long, REQUIRED), ("version-id", Kind::Int, REQUIRED)];

/// The version of types and defaults that a view may have.
const TYPES_OF: u8 = 3;

/// Checks the metadata of a view.
pub(in crate::check) fn check_view(found: &mut Findings, view: &Object) {
    check_keys(found, "", view, VIEW, 1);
    if let Some(version) = long(view, "format-version")
        && version != 1
    {
        return found.add(&FORMAT_VERSION, "format-version", format_args!("expected 1, found {version}"));
    }
    check_uuid(found, view, "view-uuid");
    check_schemas_shape(found, view, TYPES_OF);
    check_unique(found, view, "schemas", "schema-id", &SCHEMA_ID_UNIQUE);
    for (part, schema) in objects(view, "schemas") {
        check_columns(found, schema, &part, &columns(schema, &part), TYPES_OF);
    }
    check_unique(found, view, "versions", "version-id", &VIEW_VERSION_UNIQUE);
    let schemas = ids_of(view, "schemas", "schema-id");
    for (part, version) in objects(view, "versions") {
        check_keys(found, &part, version, VERSION, 1);
        if let Some(id) = long(version, "schema-id")
            && !schemas.contains(&id)
        {
            found.add(&VIEW_SCHEMA, join(&part, "schema-id"), format_args!("the view has no schema {id}"));
        }
        check_representations(found, &part, version);
    }
    let current = long(view, "current-version-id");
    if let Some(current) = current
        && !ids_of(view, "versions", "version-id").contains(&current)
    {
        found.add(
            &VIEW_CURRENT_VERSION,
            "current-version-id",
            format_args!("the view has no version {current}"),
        );
    }
    check_log(found, view, current);
}

fn check_representations(found: &mut Findings, part: &str, version: &Object) {
    let mut dialects = HashSet::new();
    let all = objects(version, "representations");
    if all.is_empty() && version.get("representations").is_some_and(Json::is_array) {
        found.add(&VIEW_REPRESENTATION, join(part, "representations"), "expected at least one, found none");
    }
    for (below, representation) in all {
        let at = join(part, &below);
        match text(representation, "type") {
            Some("sql") => {
                let dialect = text(representation, "dialect");
                if text(representation, "sql").is_none() || dialect.is_none() {
                    found.add(&VIEW_REPRESENTATION, &at, "expected the texts sql and dialect");
                }
                if let Some(dialect) = dialect
                    && !dialects.insert(dialect.to_lowercase())
                {
                    found.add(&VIEW_DIALECT, &at, format_args!("the dialect {dialect:?} is there twice"));
                }
            }
            Some(_) => {}
            None => found.add(&VIEW_REPRESENTATION, &at, "expected a type, found none"),
        }
    }
}

fn check_log(found: &mut Findings, view: &Object, current: Option<i64>) {
    let log = objects(view, "version-log");
    for (part, entry) in &log {
        check_keys(found, part, entry, LOG, 1);
    }
    let last = log.last().and_then(|(_, entry)| long(entry, "version-id"));
    if let Some(current) = current
        && view.contains_key("version-log")
        && last != Some(current)
        && ids_of(view, "versions", "version-id").contains(&current)
    {
        let last = last.map_or_else(|| "none".to_owned(), |last| last.to_string());
        found.add(&VIEW_LOG_END, "version-log", format_args!("expected {current}, found {last}"));
    }
    check_order(found, view, "version-log", None, &VIEW_LOG_ORDER);
}
