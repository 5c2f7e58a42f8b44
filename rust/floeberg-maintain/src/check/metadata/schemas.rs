//! Are the schemas of a table what they may be, and may one follow the other?
//!
//! Spec: Schemas and Data Types; Default values; Schema Evolution; Identifier Field IDs; Reserved Field IDs.
//!
//! Invariant: schemas are compared in the order of their ids, in which they were made.

use std::collections::{HashMap, HashSet};

use floeberg_core::schema::reserved::LAST_TABLE_FIELD_ID;
use floeberg_core::schema::value_json::from_json;
use floeberg_core::schema::{PrimitiveType, Type, promotes_to};
use serde_json::Value as Json;

use crate::check::keys::{Object, join, long, longs, objects};
use crate::check::rules::schemas::{
    DEFAULT_OF_VERSION, DEFAULT_VALUE, FIELD_ID_RANGE, FIELD_ID_UNIQUE, FIELD_NAME_UNIQUE, IDENTIFIER_FIELDS,
    INITIAL_DEFAULT, LAST_COLUMN_ID, SCHEMA_KEPT_TWICE, TYPE_KNOWN, TYPE_OF_VERSION, TYPE_PROMOTION,
};
use floeberg_core::finding::Findings;

use super::columns::{Column, columns};

/// Checks the schemas of a table.
pub(super) fn check_schemas(found: &mut Findings, table: &Object, version: u8) {
    let mut schemas = objects(table, "schemas");
    schemas.sort_by_key(|(_, schema)| long(schema, "schema-id"));
    let last = long(table, "last-column-id");
    let (mut known, mut seen) = (HashMap::new(), HashSet::new());
    for (part, schema) in &schemas {
        let columns = columns(schema, part);
        check_columns(found, schema, part, &columns, version);
        for column in &columns {
            if (0..=i64::from(LAST_TABLE_FIELD_ID)).contains(&column.id)
                && last.is_some_and(|last| column.id > last)
            {
                let message =
                    format_args!("the id {} of {:?} is above {}", column.id, column.name, last.unwrap_or(0));
                found.add(&LAST_COLUMN_ID, &column.part, message);
            }
            if let Some(before) = known.insert(column.id, column.clone()) {
                check_successor(found, &before, column);
            }
        }
        let fields = schema.get("fields").map(Json::to_string);
        let mut identifiers = longs(schema, "identifier-field-ids");
        identifiers.sort_unstable();
        if !seen.insert((fields, identifiers)) {
            found.add(&SCHEMA_KEPT_TWICE, part, "another schema has the same fields");
        }
    }
}

/// Checks the columns of a schema, of a table or a view.
pub(super) fn check_columns(
    found: &mut Findings,
    schema: &Object,
    part: &str,
    columns: &[Column<'_>],
    version: u8,
) {
    let (mut ids, mut names) = (HashSet::new(), HashSet::new());
    for column in columns {
        let Column { id, name, part, .. } = column;
        if !ids.insert(*id) {
            found.add(&FIELD_ID_UNIQUE, part, format_args!("the id {id} is there twice"));
        }
        if !(0..=i64::from(LAST_TABLE_FIELD_ID)).contains(id) {
            let message = format_args!("expected an id from 0 to {LAST_TABLE_FIELD_ID}, found {id}");
            found.add(&FIELD_ID_RANGE, part, message);
        }
        if column.is_field && (name.is_empty() || !names.insert((column.above.clone(), *name))) {
            found.add(&FIELD_NAME_UNIQUE, part, format_args!("the name {name:?} is empty, or there twice"));
        }
        check_type(found, column, version);
        check_defaults(found, column, version);
    }
    for id in longs(schema, "identifier-field-ids") {
        if let Some(why) = identifier_fault(id, columns) {
            found.add(
                &IDENTIFIER_FIELDS,
                join(part, "identifier-field-ids"),
                format_args!("field {id}: {why}"),
            );
        }
    }
}

fn check_type(found: &mut Findings, column: &Column<'_>, version: u8) {
    let nested = ["struct", "list", "map"].contains(&column.kind());
    if column.json.is_object() && nested {
        return;
    }
    let needs_3 = |field_type: &Type| {
        use PrimitiveType as P;
        matches!(
            field_type,
            Type::Variant
                | Type::Primitive(
                    P::TimestampNs | P::TimestamptzNs | P::Unknown | P::Geometry { .. } | P::Geography { .. }
                )
        )
    };
    match column.field_type() {
        None | Some(Type::Unrecognized(_)) => {
            found.add(&TYPE_KNOWN, join(&column.part, "type"), format_args!("found {}", column.json));
        }
        Some(field_type) if version < 3 && needs_3(&field_type) => {
            let message =
                format_args!("expected a type of version {version}, found {field_type}, of version 3");
            found.add(&TYPE_OF_VERSION, join(&column.part, "type"), message);
        }
        Some(_) => {}
    }
}

fn check_defaults(found: &mut Findings, column: &Column<'_>, version: u8) {
    if !column.is_field {
        return;
    }
    for name in ["initial-default", "write-default"] {
        let Some(json) = column.declared.get(name).filter(|json| !json.is_null()) else { continue };
        let at = join(&column.part, name);
        if version < 3 {
            found.add(&DEFAULT_OF_VERSION, at, format_args!("found {json} in format version {version}"));
            continue;
        }
        let Some(field_type) = column.field_type() else { continue };
        let is_value = match &field_type {
            Type::Struct(_) => json.as_object().is_some_and(Object::is_empty),
            other => from_json(json, other).is_ok(),
        };
        if !is_value {
            found.add(&DEFAULT_VALUE, at, format_args!("expected a value of {field_type}, found {json}"));
        }
    }
}

/// Why a field cannot be an identifier field; `None` if it can.
fn identifier_fault(id: i64, columns: &[Column<'_>]) -> Option<&'static str> {
    let find = |id: i64| columns.iter().find(|column| column.id == id);
    let Some(column) = find(id) else { return Some("the schema has no such field") };
    if column.repeated {
        return Some("it is in a list or a map");
    }
    if column.above.iter().any(|id| find(*id).is_some_and(|above| !above.required)) {
        return Some("a struct above it is optional");
    }
    match column.field_type() {
        Some(Type::Primitive(PrimitiveType::Float | PrimitiveType::Double)) => Some("it is a float"),
        Some(Type::Primitive(_)) if !column.required => Some("it is optional"),
        Some(Type::Primitive(_)) | None => None,
        Some(_) => Some("it is not primitive"),
    }
}

/// Checks what became of a column from one schema to the next.
fn check_successor(found: &mut Findings, before: &Column<'_>, after: &Column<'_>) {
    let is_allowed = match (before.field_type(), after.field_type()) {
        (Some(Type::Primitive(from)), Some(Type::Primitive(to))) => promotes_to(&from, &to),
        (Some(Type::Primitive(PrimitiveType::Unknown)), _) => true,
        (Some(from), Some(to)) => {
            std::mem::discriminant(&from) == std::mem::discriminant(&to)
                && (!matches!(from, Type::Unrecognized(_)) || from == to)
        }
        // The type itself is a finding.
        _ => true,
    };
    let at = &after.part;
    if !is_allowed {
        let (was, now) = (before.json, after.json);
        found.add(&TYPE_PROMOTION, join(at, "type"), format_args!("column {}: {was} became {now}", after.id));
    } else if before.above != after.above {
        let (was, now) = (&before.above, &after.above);
        found.add(&TYPE_PROMOTION, at, format_args!("column {} was in {was:?}, and is in {now:?}", after.id));
    }
    if !before.is_field || !after.is_field {
        return;
    }
    let default = |column: &Column<'_>| column.declared.get("initial-default").cloned().unwrap_or(Json::Null);
    let (was, now) = (default(before), default(after));
    if was != now {
        let message = format_args!("column {}: {was} became {now}", after.id);
        found.add(&INITIAL_DEFAULT, join(at, "initial-default"), message);
    }
}
