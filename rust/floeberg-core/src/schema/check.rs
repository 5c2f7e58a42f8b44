//! May a schema be written in this format version?
//!
//! In: a schema. Out: nothing, or one error that lists everything that is wrong with it.
//! Spec: Schemas and Data Types; Default values; Identifier Field IDs; Reserved Field IDs; Appendix E.
//!
//! Invariant: reading is lenient, but this check is not. A fault that the old schema has already does not count for the next.

use std::collections::HashMap;

use super::reserved::LAST_TABLE_FIELD_ID;
use super::type_string::near_type;
use super::{Field, PrimitiveType, Schema, Type};
use crate::error::{Error, Result, beginning};
use crate::value::Value;

/// How deep types may nest to be written. Readers accept JSON of 127 levels: a struct takes three of them, and the
/// JSON around a schema seven at most. pyarrow accepts 64 levels of types, and a map takes two.
pub const MAX_WRITTEN_DEPTH: usize = 40;

/// The first format version with defaults, and with the types that [`needs_v3`] names.
const DEFAULTS_FROM: u8 = 3;

impl Schema {
    /// Checks that a new table may have it.
    ///
    /// Errors: `InvalidInput`, listing every column that breaks a rule of the specification or needs a later version.
    pub fn check_to_write(&self, format_version: u8) -> Result<()> {
        self.check_as_successor(None, format_version)
    }

    /// Checks that it may follow another schema. Faults of the other schema do not count.
    ///
    /// Errors: those of [`Self::check_to_write`].
    pub fn check_as_successor(&self, before: Option<&Self>, format_version: u8) -> Result<()> {
        let known = before.map(|before| before.faults(format_version)).unwrap_or_default();
        let faults: Vec<_> =
            self.faults(format_version).into_iter().filter(|fault| !known.contains(fault)).collect();
        if faults.is_empty() {
            return Ok(());
        }
        Err(Error::invalid_input(format!("the schema cannot be written: {}", faults.join("; "))))
    }

    fn faults(&self, format_version: u8) -> Vec<String> {
        let mut faults = Vec::new();
        let mut names = HashMap::new();
        for field in self.fields() {
            if depth(&field.field_type) > MAX_WRITTEN_DEPTH {
                let shown = beginning(&field.name);
                faults.push(format!(
                    "column {shown:?} is nested more than {MAX_WRITTEN_DEPTH} levels deep, with maps \
                     counted twice, and could not be read again"
                ));
            }
            field_faults(field, &field.name, format_version, &mut names, &mut faults);
        }
        for id in self.identifier_field_ids() {
            faults.extend(self.identifier_fault(*id));
        }
        faults
    }

    /// Why a field cannot be an identifier field; `None` if it can.
    fn identifier_fault(&self, id: i32) -> Option<String> {
        let Some(path) = self.path(id) else {
            return Some(format!("no field has the identifier field id {id}"));
        };
        let (field, parents) = path.split_last()?;
        let name = self.full_name(id).unwrap_or_default();
        let why = match &field.field_type {
            Type::Primitive(PrimitiveType::Float | PrimitiveType::Double) => "it is a floating-point number",
            Type::Primitive(_) if !field.required => "it may be null: make it required",
            Type::Primitive(_) if parents.iter().any(|parent| parent.field_type.as_struct().is_none()) => {
                "it is in a list or a map"
            }
            Type::Primitive(_) if parents.iter().any(|parent| !parent.required) => {
                "a struct above it may be null"
            }
            Type::Primitive(_) => return None,
            _ => "it is not primitive",
        };
        Some(format!("column {:?} cannot identify rows: {why}", beginning(name)))
    }
}

fn field_faults(
    field: &Field,
    full_name: &str,
    format_version: u8,
    names: &mut HashMap<String, i32>,
    faults: &mut Vec<String>,
) {
    let shown = beginning(full_name);
    let mut fault = |what: String| faults.push(format!("column {shown:?} {what}"));
    if field.name.is_empty() {
        fault("has no name".to_owned());
    }
    if let Some(other) = names.insert(full_name.to_owned(), field.id) {
        fault(format!("has the name of another column (ids {other} and {})", field.id));
    }
    if !(1..=LAST_TABLE_FIELD_ID).contains(&field.id) {
        fault(format!("has the id {}, and ids go from 1 to {LAST_TABLE_FIELD_ID}", field.id));
    }
    match &field.field_type {
        Type::Unrecognized(name) => {
            let hint = near_type(name).map(|near| format!(": expected {near:?}")).unwrap_or_default();
            fault(format!("is of type {:?}, which this version does not know{hint}", beginning(name)));
        }
        needs if needs_v3(needs) && format_version < 3 => {
            fault(format!("is of type {needs}, which needs format version 3, but this is {format_version}"));
        }
        Type::Primitive(PrimitiveType::Unknown) if field.required => {
            fault("is required, but of type unknown, which is always null".to_owned());
        }
        _ => {}
    }
    let defaults = [("initial", &field.initial_default), ("write", &field.write_default)];
    let has_default = defaults.iter().any(|(_, default)| default.is_some());
    if has_default && format_version < DEFAULTS_FROM {
        fault(format!(
            "has a default, which needs format version {DEFAULTS_FROM}, but this is {format_version}"
        ));
    }
    for (which, default) in defaults {
        let Some(default) = default else { continue };
        if format_version >= DEFAULTS_FROM && !may_default(&field.field_type, default) {
            fault(format!(
                "is of type {}, which cannot have the {which} default {}",
                beginning(&field.field_type),
                beginning(default)
            ));
        }
    }
    for child in field.field_type.children() {
        field_faults(child, &format!("{full_name}.{}", child.name), format_version, names, faults);
    }
}

/// How many structs, lists and maps stand in each other; a map has entries, which are a level too. A type that was made has a
/// limited depth.
fn depth(field_type: &Type) -> usize {
    let levels = if matches!(field_type, Type::Map(_)) { 2 } else { 1 };
    field_type.children().iter().map(|child| levels + depth(&child.field_type)).max().unwrap_or(0)
}

/// Is it a type that v1 and v2 do not have?
fn needs_v3(field_type: &Type) -> bool {
    use PrimitiveType as P;
    matches!(
        field_type,
        Type::Variant
            | Type::Primitive(
                P::TimestampNs | P::TimestamptzNs | P::Unknown | P::Geometry { .. } | P::Geography { .. }
            )
    )
}

/// Structs default to their fields' defaults; lists and maps, of which no writer has defaults, to null alone.
fn may_default(field_type: &Type, default: &Value) -> bool {
    match (field_type, default) {
        (
            Type::Primitive(
                PrimitiveType::Unknown | PrimitiveType::Geometry { .. } | PrimitiveType::Geography { .. },
            ),
            _,
        ) => false,
        (Type::Primitive(primitive), value) => value.matches(primitive),
        (Type::Struct(_), Value::Struct(fields)) => fields.is_empty(),
        _ => false,
    }
}
