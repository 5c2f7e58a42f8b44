//! What is the schema of the writer?
//!
//! Spec: Avro 1.12, Schema Declaration; Iceberg Appendix A, Avro (field ids).
//!
//! Invariant: every [`TypeId`] points into its own schema; named types are stored once, however often they are used,
//! so a type may contain itself. Code that walks the types must bound the depth.

use arrow_schema::TimeUnit;

/// A type of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeId(pub(crate) usize);

/// A parsed writer schema.
#[derive(Debug, Clone, PartialEq)]
pub struct AvroSchema {
    pub(crate) types: Vec<AvroType>,
    pub(crate) root: TypeId,
    pub(crate) has_ids: bool,
}

/// One type of a schema.
#[derive(Debug, Clone, PartialEq)]
pub enum AvroType {
    /// No bytes.
    Null,
    /// One byte.
    Boolean,
    /// 32 bits.
    Int(Logical),
    /// 64 bits.
    Long(Logical),
    /// Four bytes, little-endian.
    Float,
    /// Eight bytes, little-endian.
    Double,
    /// Length and bytes.
    Bytes(Logical),
    /// Length and UTF-8.
    String,
    /// That many bytes.
    Fixed(usize, Logical),
    /// The position of a symbol.
    Enum(Vec<String>),
    /// Fields in order.
    Record(Vec<AvroField>),
    /// Blocks of items.
    Array(AvroArray),
    /// Blocks of string keys and values.
    Map(AvroMap),
    /// The position of a branch, then its value.
    Union(Vec<TypeId>),
}

/// Items of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AvroArray {
    /// The type of an item.
    pub items: TypeId,
    /// `element-id`.
    pub element_id: Option<i32>,
    /// Is it a map, whose items are records of a key and a value (`logicalType` is `map`)?
    pub is_map: bool,
}

/// Values by string keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AvroMap {
    /// The type of a value.
    pub values: TypeId,
    /// `key-id`.
    pub key_id: Option<i32>,
    /// `value-id`.
    pub value_id: Option<i32>,
}

/// A field of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct AvroField {
    /// The name.
    pub name: String,
    /// `field-id`.
    pub id: Option<i32>,
    /// The type.
    pub field_type: TypeId,
}

/// What a type means beyond its encoding, as far as Iceberg uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Logical {
    /// Nothing, or something that does not matter here.
    Plain,
    /// `decimal`: digits, and those of them after the point.
    Decimal {
        /// All digits; 0 where the schema does not say.
        precision: i64,
        /// The digits after the point.
        scale: i64,
    },
    /// `date`: days from 1970-01-01.
    Date,
    /// `time-millis` or `time-micros`.
    Time(TimeUnit),
    /// `timestamp-millis`, `-micros` or `-nanos`, or its `local-` form.
    Timestamp {
        /// What is counted from 1970-01-01.
        unit: TimeUnit,
        /// `adjust-to-utc`: is it an instant?
        utc: bool,
    },
}

impl AvroSchema {
    /// The type behind an id.
    pub fn get(&self, id: TypeId) -> &AvroType {
        &self.types[id.0]
    }

    /// The type of a whole record of the file.
    pub fn root(&self) -> &AvroType {
        self.get(self.root)
    }

    /// The type of a record's field with that id; `None` if the type is not a record or has no such field.
    pub fn field(&self, record: &AvroType, id: i32) -> Option<&AvroType> {
        let AvroType::Record(fields) = record else { return None };
        fields.iter().find(|field| field.id == Some(id)).map(|field| self.get(field.field_type))
    }

    /// Does any field have a field id? If not, names decide.
    pub fn has_ids(&self) -> bool {
        self.has_ids
    }
}
