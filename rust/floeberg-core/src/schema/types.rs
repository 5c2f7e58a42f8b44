//! Which types does a table format have, and what is a column?
//!
//! Spec: Schemas and Data Types; Nested Types; Default values; Appendix C, Schemas (type strings).
//!
//! Invariant: a type that this version does not know is kept as it was written, and is an error only where
//! its column is projected, filtered or written.

use std::fmt;

use serde_json::{Map, Value as Json};

use crate::value::Value;

/// The coordinate reference system of a geometry or geography that names none.
pub const DEFAULT_CRS: &str = "OGC:CRS84";

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

/// A type without children.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PrimitiveType {
    /// True or false.
    Boolean,
    /// 32-bit signed.
    Int,
    /// 64-bit signed.
    Long,
    /// 32-bit IEEE 754.
    Float,
    /// 64-bit IEEE 754.
    Double,
    /// Fixed-point: at most 38 digits.
    Decimal {
        /// Digits in all, 1 to 38.
        precision: u8,
        /// Digits after the point.
        scale: u8,
    },
    /// Days from 1970-01-01.
    Date,
    /// Microseconds from midnight.
    Time,
    /// Microseconds from 1970-01-01, no zone.
    Timestamp,
    /// Microseconds from 1970-01-01 UTC.
    Timestamptz,
    /// Nanoseconds from 1970-01-01, no zone (v3).
    TimestampNs,
    /// Nanoseconds from 1970-01-01 UTC (v3).
    TimestamptzNs,
    /// UTF-8.
    String,
    /// 16 bytes, big-endian.
    Uuid,
    /// That many bytes.
    Fixed(u32),
    /// Bytes.
    Binary,
    /// Always null, never stored (v3).
    Unknown,
    /// WKB in a planar coordinate system (v3).
    Geometry {
        /// The coordinate reference system; `None` is the default, `OGC:CRS84`.
        crs: Option<String>,
    },
    /// WKB on the globe (v3).
    Geography {
        /// The coordinate reference system; `None` is the default, `OGC:CRS84`.
        crs: Option<String>,
        /// How edges run between points; `None` is the default, `spherical`.
        algorithm: Option<String>,
    },
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

/// The canonical type string of Appendix C (`decimal(9,2)`, `fixed[16]`, `geometry(srid:4326)`).
impl fmt::Display for PrimitiveType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean => f.write_str("boolean"),
            Self::Int => f.write_str("int"),
            Self::Long => f.write_str("long"),
            Self::Float => f.write_str("float"),
            Self::Double => f.write_str("double"),
            Self::Decimal { precision, scale } => write!(f, "decimal({precision},{scale})"),
            Self::Date => f.write_str("date"),
            Self::Time => f.write_str("time"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::Timestamptz => f.write_str("timestamptz"),
            Self::TimestampNs => f.write_str("timestamp_ns"),
            Self::TimestamptzNs => f.write_str("timestamptz_ns"),
            Self::String => f.write_str("string"),
            Self::Uuid => f.write_str("uuid"),
            Self::Fixed(length) => write!(f, "fixed[{length}]"),
            Self::Binary => f.write_str("binary"),
            Self::Unknown => f.write_str("unknown"),
            Self::Geometry { crs: None } => f.write_str("geometry"),
            Self::Geometry { crs: Some(crs) } => write!(f, "geometry({crs})"),
            Self::Geography { crs: None, algorithm: None } => f.write_str("geography"),
            Self::Geography { crs: Some(crs), algorithm: None } => write!(f, "geography({crs})"),
            Self::Geography { crs, algorithm: Some(algorithm) } => {
                write!(f, "geography({}, {algorithm})", crs.as_deref().unwrap_or(DEFAULT_CRS))
            }
        }
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
