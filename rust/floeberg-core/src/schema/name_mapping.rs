//! Which field ids do columns of files without ids have?
//!
//! In: the table property `schema.name-mapping.default`, or the names of a schema. Out: a field id for a path of column names.
//! Spec: Column Projection; Appendix C, Name Mapping Serialization.
//!
//! Invariant: names are literal (a dot is part of a name, never a path), and a name means one thing among its
//! siblings.

mod evolved;

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value as Json;

use super::json::MAX_DEPTH;
use super::{Field, Schema, Type};
use crate::error::{Error, Result};

pub use evolved::{evolved_mapping, mapping_of_schema};

/// Field ids by names, level by level.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NameMapping {
    /// Shared, because a field has any number of names at every level.
    by_name: HashMap<String, Arc<MappedField>>,
}

/// What a name is mapped to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MappedField {
    field_id: Option<i32>,
    children: NameMapping,
}

impl MappedField {
    /// The field id; `None` for a column of the file that the table does not have.
    pub fn field_id(&self) -> Option<i32> {
        self.field_id
    }

    /// The mapping of the fields below: a struct's fields, a list's `element`, a map's `key` and `value`.
    pub fn children(&self) -> &NameMapping {
        &self.children
    }
}

impl NameMapping {
    /// Parses the JSON of the table property.
    ///
    /// Errors: `InvalidData` for text that is not JSON, a malformed mapping, a name that occurs twice among siblings,
    /// and a mapping that nests too deep.
    pub fn from_json(text: &str) -> Result<Self> {
        let json: Json = serde_json::from_str(text)
            .map_err(|error| Error::invalid_data("a name mapping is not JSON").caused_by(error))?;
        mapping(&json, MAX_DEPTH)
    }

    /// The names of a schema, each with its own id.
    pub fn of_schema(schema: &Schema) -> Self {
        of_fields(schema.fields())
    }

    /// What a name at this level is mapped to.
    pub fn get(&self, name: &str) -> Option<&MappedField> {
        self.by_name.get(name).map(AsRef::as_ref)
    }

    /// Has it every name of another mapping that has a field id, with the same id?
    pub fn covers(&self, other: &Self) -> bool {
        other.by_name.iter().all(|(name, field)| match self.get(name) {
            Some(own) => {
                (field.field_id.is_none() || own.field_id == field.field_id)
                    && own.children.covers(&field.children)
            }
            None => field.field_id.is_none(),
        })
    }

    /// The field id of a path of names from the top; `None` if it has no id or is not mapped.
    pub fn find(&self, path: &[&str]) -> Option<i32> {
        let (first, rest) = path.split_first()?;
        let field = self.get(first)?;
        if rest.is_empty() { field.field_id } else { field.children.find(rest) }
    }
}

fn of_fields(fields: &[Field]) -> NameMapping {
    let named = fields.iter().map(|field| (field.name.clone(), Arc::new(of_field(field))));
    NameMapping { by_name: named.collect() }
}

fn of_field(field: &Field) -> MappedField {
    let part = |name: &str, part| (name.to_owned(), Arc::new(of_field(part)));
    let children = match &field.field_type {
        Type::Struct(inner) => of_fields(&inner.fields),
        Type::List(list) => NameMapping { by_name: [part("element", &list.element)].into() },
        Type::Map(map) => NameMapping { by_name: [part("key", &map.key), part("value", &map.value)].into() },
        Type::Primitive(_) | Type::Variant | Type::Unrecognized(_) => NameMapping::default(),
    };
    MappedField { field_id: Some(field.id), children }
}

fn mapping(json: &Json, depth: usize) -> Result<NameMapping> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(Error::invalid_data(format!(
            "a name mapping is nested more than {MAX_DEPTH} levels deep"
        )));
    };
    let Json::Array(fields) = json else {
        return Err(Error::invalid_data("expected an array of field mappings in a name mapping"));
    };
    let mut by_name = HashMap::new();
    for field in fields {
        let field_id = match field.get("field-id") {
            None | Some(Json::Null) => None,
            Some(id) => {
                let id = id.as_i64().and_then(|id| i32::try_from(id).ok());
                Some(id.ok_or_else(|| Error::invalid_data("expected a 32-bit field-id in a name mapping"))?)
            }
        };
        let children = match field.get("fields") {
            None | Some(Json::Null) => NameMapping::default(),
            Some(fields) => mapping(fields, depth)?,
        };
        let mapped = Arc::new(MappedField { field_id, children });
        for name in names(field)? {
            if by_name.insert(name.to_owned(), Arc::clone(&mapped)).is_some() {
                return Err(Error::invalid_data(format!("the name {name:?} occurs twice in a name mapping")));
            }
        }
    }
    Ok(NameMapping { by_name })
}

fn names(field: &Json) -> Result<Vec<&str>> {
    let names = field.get("names").and_then(Json::as_array);
    let names = names.and_then(|names| names.iter().map(Json::as_str).collect::<Option<Vec<_>>>());
    names.ok_or_else(|| Error::invalid_data("expected an array of strings for names in a name mapping"))
}
