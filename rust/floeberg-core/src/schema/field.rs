//! What is a column?
//!
//! Spec: Nested Types; Default values.

use std::fmt;

use serde_json::{Map, Value as Json};

use super::Type;
use crate::value::Value;

/// A field of a struct, an element of a list, a key or value of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The id, unique in the table and never reused.
    pub id: i32,
    /// The name, unique among its siblings.
    pub name: String,
    /// Must it hold a value?
    pub required: bool,
    /// The type.
    pub field_type: Type,
    /// The comment.
    pub doc: Option<String>,
    /// The value of rows written before the field was added (v3). `None` is null.
    pub initial_default: Option<Value>,
    /// The value a writer puts where none is given (v3). `None` is null.
    pub write_default: Option<Value>,
    /// JSON keys that this version does not know, re-emitted as they were.
    pub unknown_keys: Map<String, Json>,
}

impl Field {
    /// An optional field without doc and defaults.
    pub fn optional(id: i32, name: impl Into<String>, field_type: impl Into<Type>) -> Self {
        Self {
            id,
            name: name.into(),
            required: false,
            field_type: field_type.into(),
            doc: None,
            initial_default: None,
            write_default: None,
            unknown_keys: Map::new(),
        }
    }

    /// A required field without doc and defaults.
    pub fn required(id: i32, name: impl Into<String>, field_type: impl Into<Type>) -> Self {
        Self { required: true, ..Self::optional(id, name, field_type) }
    }
}

/// `1: id: required long`
impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let need = if self.required { "required" } else { "optional" };
        write!(f, "{}: {}: {need} {}", self.id, self.name, self.field_type)
    }
}
