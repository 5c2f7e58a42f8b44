//! Are the fields of a schema as the format says?
//!
//! In: the list of fields of a manifest, depth first. Out: findings.
//! Spec: Lance, Schema & Fields; `file.proto`, `Field`.

use std::collections::{HashMap, HashSet};

use floeberg_core::finding::Findings;

use super::reading::Document;
use super::rules::versions::{FIELD_ID, FIELD_NAME, FIELD_PARENT, FIELD_TYPE, MAX_FIELD_ID, PRIMARY_KEY};
use crate::metadata::Schema;
use crate::wire::SchemaField;

const NO_PARENT: i32 = -1;

/// Checks the fields of a manifest.
pub(super) fn check_fields(document: &Document, found: &mut Findings) {
    let head = &document.file.manifest.head;
    let fields = &head.fields;
    let mut at: HashMap<i32, usize> = HashMap::with_capacity(fields.len());
    let mut names = HashSet::with_capacity(fields.len());
    let mut parents = HashSet::new();
    for (place, field) in fields.iter().enumerate() {
        let part = |key: &str| format!("fields[{place}].{key}");
        if field.parent_id != NO_PARENT {
            parents.insert(field.parent_id);
            if !at.contains_key(&field.parent_id) {
                let message = format!("expected the id of a field before it, found {}", field.parent_id);
                found.add(&FIELD_PARENT, part("parent_id"), message);
            }
        }
        if field.id < 0 || at.insert(field.id, place).is_some() {
            let message = format!("expected ids from 0 on, each once, found {}", field.id);
            found.add(&FIELD_ID, part("id"), message);
        }
        if !names.insert((field.parent_id, field.name.as_str())) {
            let message = format!("expected a name once beside the others, found {:?} twice", field.name);
            found.add(&FIELD_NAME, part("name"), message);
        }
        if field.logical_type.is_empty() {
            found.add(&FIELD_TYPE, part("logical_type"), "expected a type, found none");
        }
        if let Some(most) = head.max_allocated_field_id
            && field.id > most
        {
            let message =
                format!("expected at most {most}, the highest id that was given, found {}", field.id);
            found.add(&MAX_FIELD_ID, part("id"), message);
        }
    }
    for (place, field) in fields.iter().enumerate().filter(|(_, field)| field.unenforced_primary_key) {
        if let Some(wrong) = wrong_in_key(field, fields, &at, &parents) {
            found.add(&PRIMARY_KEY, format_args!("fields[{place}]"), wrong);
        }
    }
    for column in document.schema.iter().flat_map(Schema::fields) {
        if let Err(error) = column.to_arrow() {
            found.add(&FIELD_TYPE, format_args!("the column {:?}", column.name), error);
        }
    }
}

/// Why a field cannot be of a primary key.
fn wrong_in_key(
    field: &SchemaField,
    fields: &[SchemaField],
    at: &HashMap<i32, usize>,
    parents: &HashSet<i32>,
) -> Option<String> {
    if parents.contains(&field.id) {
        return Some("expected a field of a key without fields below it, found some".to_owned());
    }
    let mut above = Some(field);
    // A parent stands before its children, or the walk ends.
    let mut last = fields.len();
    while let Some(field) = above {
        if field.nullable {
            return Some(format!("expected a field of a key that is never null, found {:?}", field.name));
        }
        let place = at.get(&field.parent_id).copied().filter(|place| *place < last);
        above = place.map(|place| &fields[place]);
        last = place.unwrap_or_default();
        if let Some(parent) = above.filter(|parent| parent.logical_type != "struct") {
            return Some(format!("expected a field of a key in no {}, found one", parent.logical_type));
        }
    }
    None
}
