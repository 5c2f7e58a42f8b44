//! How are a table's columns found by id or by name?
//!
//! Spec: Schemas and Data Types; Identifier Field IDs.
//!
//! Invariant: ids are unique, and so are names among siblings; building a schema checks both.

use std::collections::HashMap;

use serde_json::{Map, Value as Json};

use super::{Field, StructType, Type};
use crate::error::{Error, Result};

/// A schema with its indexes.
#[derive(Debug, Clone)]
pub struct Schema {
    id: i32,
    fields: StructType,
    identifier_field_ids: Vec<i32>,
    unknown_keys: Map<String, Json>,
    /// Id to position path: child numbers from the top.
    by_id: HashMap<i32, Vec<usize>>,
    /// Full dotted name to id.
    by_name: HashMap<String, i32>,
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
            && self.fields == other.fields
            && self.identifier_field_ids == other.identifier_field_ids
    }
}

impl Schema {
    /// Builds the indexes.
    ///
    /// Errors: `InvalidData` for an id or a full name that occurs twice.
    pub fn new(schema_id: i32, fields: Vec<Field>) -> Result<Self> {
        let mut by_id = HashMap::new();
        let mut by_name = HashMap::new();
        let mut path = Vec::new();
        for (position, field) in fields.iter().enumerate() {
            path.push(position);
            index(field, &field.name, &mut path, &mut by_id, &mut by_name)?;
            path.pop();
        }
        Ok(Self {
            id: schema_id,
            fields: StructType { fields },
            identifier_field_ids: Vec::new(),
            unknown_keys: Map::new(),
            by_id,
            by_name,
        })
    }

    /// With the fields that identify a row.
    #[must_use]
    pub fn with_identifier_field_ids(mut self, ids: Vec<i32>) -> Self {
        self.identifier_field_ids = ids;
        self
    }

    /// With JSON keys that this version does not know.
    #[must_use]
    pub fn with_unknown_keys(mut self, keys: Map<String, Json>) -> Self {
        self.unknown_keys = keys;
        self
    }

    /// The id of the schema in its table.
    pub fn schema_id(&self) -> i32 {
        self.id
    }

    /// The columns, in order.
    pub fn fields(&self) -> &[Field] {
        &self.fields.fields
    }

    /// The columns as a struct type.
    pub fn as_struct(&self) -> &StructType {
        &self.fields
    }

    /// The fields that identify a row.
    pub fn identifier_field_ids(&self) -> &[i32] {
        &self.identifier_field_ids
    }

    /// JSON keys that this version does not know.
    pub fn unknown_keys(&self) -> &Map<String, Json> {
        &self.unknown_keys
    }

    /// The field of an id, at any depth.
    pub fn field(&self, id: i32) -> Option<&Field> {
        self.path(id)?.last().copied()
    }

    /// The fields from the top down to an id, that field last; `None` for an unknown id.
    pub fn path(&self, id: i32) -> Option<Vec<&Field>> {
        let positions = self.by_id.get(&id)?;
        let (first, rest) = positions.split_first()?;
        let mut field = self.fields.fields.get(*first)?;
        let mut path = vec![field];
        for position in rest {
            field = *field.field_type.children().get(*position)?;
            path.push(field);
        }
        Some(path)
    }

    /// The full dotted name of an id (`list.element.a` below lists and maps).
    pub fn full_name(&self, id: i32) -> Option<String> {
        let names: Vec<_> = self.path(id)?.into_iter().map(|field| field.name.as_str()).collect();
        Some(names.join("."))
    }

    /// The id of a full dotted name.
    ///
    /// An exact name wins over a nested path. Without case, a name that fits two fields is an error.
    /// Errors: `InvalidInput`, naming near matches.
    pub fn find(&self, name: &str, case_sensitive: bool) -> Result<i32> {
        if let Some(id) = self.by_name.get(name) {
            return Ok(*id);
        }
        if !case_sensitive {
            let wanted = name.to_lowercase();
            let mut found: Vec<_> =
                self.by_name.iter().filter(|(known, _)| known.to_lowercase() == wanted).collect();
            found.sort();
            match found.as_slice() {
                [(_, id)] => return Ok(**id),
                [] => {}
                several => {
                    let names: Vec<_> = several.iter().map(|(known, _)| known.as_str()).collect();
                    return Err(Error::invalid_input(format!(
                        "column {name:?} is ambiguous without case: {}",
                        names.join(", ")
                    )));
                }
            }
        }
        Err(super::did_you_mean::unknown_column(name, self.by_name.keys().map(String::as_str)))
    }

    /// All ids with their full names, in no order.
    pub fn names(&self) -> impl Iterator<Item = (&str, i32)> {
        self.by_name.iter().map(|(name, id)| (name.as_str(), *id))
    }

    /// The highest id in use, or 0.
    pub fn highest_field_id(&self) -> i32 {
        self.by_id.keys().copied().max().unwrap_or(0)
    }
}

fn index(
    field: &Field,
    full_name: &str,
    path: &mut Vec<usize>,
    by_id: &mut HashMap<i32, Vec<usize>>,
    by_name: &mut HashMap<String, i32>,
) -> Result<()> {
    if by_id.insert(field.id, path.clone()).is_some() {
        return Err(Error::invalid_data(format!("field id {} occurs twice in a schema", field.id)));
    }
    // A top-level column `a.b` and a field `b` of struct `a` share a full name: the exact one, met at the
    // shallower depth, wins.
    let taken_by_shallower =
        by_name.get(full_name).and_then(|id| by_id.get(id)).map(|other| (other.len(), path.len()));
    match taken_by_shallower {
        Some((other, own)) if other == own && field.name == full_name => {
            return Err(Error::invalid_data(format!("two columns of a schema are named {full_name:?}")));
        }
        Some((other, own)) if other <= own => {}
        _ => {
            by_name.insert(full_name.to_owned(), field.id);
        }
    }
    for (position, child) in field.field_type.children().into_iter().enumerate() {
        path.push(position);
        index(child, &format!("{full_name}.{}", child.name), path, by_id, by_name)?;
        path.pop();
    }
    Ok(())
}

/// Is a type nested (struct, list or map)?
pub fn is_nested(field_type: &Type) -> bool {
    matches!(field_type, Type::Struct(_) | Type::List(_) | Type::Map(_))
}
