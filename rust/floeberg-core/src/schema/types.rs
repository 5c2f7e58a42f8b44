//! Which types does a table format have, and what is a column?
//!
//! Spec: Schemas and Data Types; Nested Types; Default values; Appendix C, Schemas (type strings).
//!
//! Invariant: a type that this version does not know is kept as it was written, and is an error only where
//! its column is projected, filtered or written.

use std::fmt;

use serde_json::{Map, Value as Json};

use crate::primitive::PrimitiveType;
use crate::value::Value;

/// A type of a column, of an element, of a key or of a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// A type without children.
    Primitive(PrimitiveType),
    /// Semi-structured; neither primitive nor nested.
    Variant,
    /// Fields by id.
    Struct(StructType),
    /// Elements of one type.
    List(Box<ListType>),
    /// Keys and values.
    Map(Box<MapType>),
    /// A type string that this version does not know, as written.
    Unrecognized(String),
}

/// A struct's fields, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StructType {
    /// The fields, in order.
    pub fields: Vec<Field>,
}

/// A list's element.
#[derive(Debug, Clone, PartialEq)]
pub struct ListType {
    /// The element: named `element`, with its id, type and whether it may be null.
    pub element: Field,
}

/// A map's key and value.
#[derive(Debug, Clone, PartialEq)]
pub struct MapType {
    /// The key: named `key`, always required.
    pub key: Field,
    /// The value: named `value`.
    pub value: Field,
}

impl Type {
    /// The primitive type, if it is one.
    pub fn as_primitive(&self) -> Option<&PrimitiveType> {
        match self {
            Self::Primitive(primitive) => Some(primitive),
            _ => None,
        }
    }

    /// The struct type, if it is one.
    pub fn as_struct(&self) -> Option<&StructType> {
        match self {
            Self::Struct(fields) => Some(fields),
            _ => None,
        }
    }

    /// The fields directly below: a struct's fields, a list's element, a map's key and value.
    pub fn children(&self) -> Vec<&Field> {
        match self {
            Self::Struct(fields) => fields.fields.iter().collect(),
            Self::List(list) => vec![&list.element],
            Self::Map(map) => vec![&map.key, &map.value],
            Self::Primitive(_) | Self::Variant | Self::Unrecognized(_) => Vec::new(),
        }
    }
}

impl From<PrimitiveType> for Type {
    fn from(primitive: PrimitiveType) -> Self {
        Self::Primitive(primitive)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Primitive(primitive) => primitive.fmt(f),
            Self::Variant => f.write_str("variant"),
            Self::Struct(fields) => {
                f.write_str("struct<")?;
                for (position, field) in fields.fields.iter().enumerate() {
                    let comma = if position == 0 { "" } else { ", " };
                    write!(f, "{comma}{field}")?;
                }
                f.write_str(">")
            }
            Self::List(list) => write!(f, "list<{}>", list.element.field_type),
            Self::Map(map) => write!(f, "map<{}, {}>", map.key.field_type, map.value.field_type),
            Self::Unrecognized(name) => f.write_str(name),
        }
    }
}

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
