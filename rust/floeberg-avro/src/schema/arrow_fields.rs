//! Which Arrow columns does an Avro file have?
//!
//! In: a writer schema. Out: a field for each column, with the field ids of the schema.
//! Spec: Appendix A, Avro.
//!
//! Invariant: a logical type that does not fit its type is ignored, as Avro requires. A union of several types, which Iceberg
//! does not have, becomes an empty Arrow union, which cannot be read.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, Metadata, TimeUnit, UnionFields, UnionMode};
use floeberg_core::schema::arrow::{FIELD_ID_KEY, UTC};
use floeberg_core::{Error, Result};

use super::limits::Limits;
use super::types::{AvroField, AvroSchema, AvroType, Logical, TypeId};

/// The most digits of a decimal.
const MOST_DIGITS: i64 = 38;

/// The columns of a file.
///
/// Errors: `InvalidData` for a file whose top type is not a record, `LimitExceeded` for types that nest too deeply, contain
/// themselves, or are too many.
pub fn arrow_fields(schema: &AvroSchema, limits: &Limits) -> Result<Fields> {
    let AvroType::Record(fields) = schema.root() else {
        return Err(Error::invalid_data("expected an Avro file of records, found another type at the top"));
    };
    Walk { schema, limits, types: 0 }.record(fields, 0)
}

/// The type beside null in a union of two, or the type itself.
pub(crate) struct Optional {
    /// The branch of null.
    pub(crate) null: Option<i64>,
    /// The branch and the type of values.
    pub(crate) value: Option<(i64, TypeId)>,
}

/// Takes a union apart; `None` where it has several types beside null.
pub(crate) fn optional(schema: &AvroSchema, branches: &[TypeId]) -> Option<Optional> {
    let is_null = |id: TypeId| matches!(schema.get(id), AvroType::Null);
    let mut values = (0_i64..).zip(branches.iter().copied()).filter(|(_, id)| !is_null(*id));
    let value = values.next();
    let null = branches.iter().position(|id| is_null(*id)).map(|branch| branch as i64);
    values.next().is_none().then_some(Optional { null, value })
}

/// The types of key and value, where the items of an array are the pairs of a map.
pub(crate) fn pair(schema: &AvroSchema, items: TypeId) -> Option<[&AvroField; 2]> {
    match schema.get(items) {
        AvroType::Record(fields) => match &fields[..] {
            [key, value] => Some([key, value]),
            _ => None,
        },
        _ => None,
    }
}

struct Walk<'a> {
    schema: &'a AvroSchema,
    limits: &'a Limits,
    types: usize,
}

impl Walk<'_> {
    fn record(&mut self, fields: &[AvroField], depth: usize) -> Result<Fields> {
        fields.iter().map(|field| self.field(field, depth + 1)).collect()
    }

    fn field(&mut self, field: &AvroField, depth: usize) -> Result<FieldRef> {
        self.named(&field.name, field.id, field.field_type, depth)
    }

    fn named(&mut self, name: &str, id: Option<i32>, field_type: TypeId, depth: usize) -> Result<FieldRef> {
        let (data_type, nullable) = self.any(field_type, depth)?;
        let metadata = match id {
            Some(id) => Metadata::new().with(FIELD_ID_KEY, id.to_string()),
            None => Metadata::new(),
        };
        Ok(Arc::new(Field::new(name, data_type, nullable).with_metadata(metadata)))
    }

    /// A type, and may a value be null?
    fn any(&mut self, id: TypeId, depth: usize) -> Result<(DataType, bool)> {
        self.types += 1;
        self.limits.check_walk(self.types, depth)?;
        let schema = self.schema;
        let data_type = match schema.get(id) {
            AvroType::Null => return Ok((DataType::Null, true)),
            AvroType::Union(branches) => match optional(schema, branches) {
                None => DataType::Union(UnionFields::empty(), UnionMode::Sparse),
                Some(Optional { value: None, .. }) => return Ok((DataType::Null, true)),
                Some(Optional { value: Some((_, value)), null }) => {
                    // Avro has no union in a union. A damaged file may have one, and it must not be unwrapped again and again.
                    if matches!(schema.get(value), AvroType::Union(_)) {
                        return Err(Error::invalid_data("Avro schema: a union directly in a union"));
                    }
                    let (data_type, is_null) = self.any(value, depth + 1)?;
                    return Ok((data_type, is_null || null.is_some()));
                }
            },
            AvroType::Record(fields) => DataType::Struct(self.record(fields, depth)?),
            AvroType::Array(array) => match pair(schema, array.items).filter(|_| array.is_map) {
                Some([key, value]) => map(self.field(key, depth + 1)?, self.field(value, depth + 1)?),
                None => DataType::List(self.named("element", array.element_id, array.items, depth + 1)?),
            },
            AvroType::Map(written) => {
                let key = Field::new("key", DataType::Utf8, false);
                let key = match written.key_id {
                    Some(id) => key.with_metadata(Metadata::new().with(FIELD_ID_KEY, id.to_string())),
                    None => key,
                };
                map(Arc::new(key), self.named("value", written.value_id, written.values, depth + 1)?)
            }
            leaf => leaf_type(leaf),
        };
        Ok((data_type, false))
    }
}

fn map(key: FieldRef, value: FieldRef) -> DataType {
    let entries = Field::new("key_value", DataType::Struct(Fields::from(vec![key, value])), false);
    DataType::Map(Arc::new(entries), false)
}

fn leaf_type(leaf: &AvroType) -> DataType {
    use DataType as T;
    match leaf {
        AvroType::Boolean => T::Boolean,
        AvroType::Int(Logical::Date) => T::Date32,
        AvroType::Int(Logical::Time(TimeUnit::Millisecond)) => T::Time32(TimeUnit::Millisecond),
        AvroType::Int(_) => T::Int32,
        AvroType::Long(Logical::Time(TimeUnit::Microsecond)) => T::Time64(TimeUnit::Microsecond),
        AvroType::Long(Logical::Timestamp { unit, utc }) => T::Timestamp(*unit, utc.then(|| UTC.into())),
        AvroType::Long(_) => T::Int64,
        AvroType::Float => T::Float32,
        AvroType::Double => T::Float64,
        AvroType::Bytes(Logical::Decimal { precision, scale })
        | AvroType::Fixed(_, Logical::Decimal { precision, scale })
            if (1..=MOST_DIGITS).contains(precision) && (0..=*precision).contains(scale) =>
        {
            T::Decimal128(*precision as u8, *scale as i8)
        }
        AvroType::Bytes(_) => T::Binary,
        AvroType::Fixed(size, _) => T::FixedSizeBinary(*size as i32),
        AvroType::String | AvroType::Enum(_) => T::Utf8,
        AvroType::Null | AvroType::Union(_) | AvroType::Record(_) | AvroType::Array(_) | AvroType::Map(_) => {
            T::Null
        }
    }
}
