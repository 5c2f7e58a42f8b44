//! Which Arrow type has a wanted field?

use std::sync::Arc;

use arrow_schema::{DataType, Field as ArrowField, FieldRef, TimeUnit};
use floeberg_core::schema::{Field, PrimitiveType, Type};
use floeberg_core::{Error, Result};

pub(super) fn arrow_field(field: &Field) -> Result<FieldRef> {
    Ok(Arc::new(ArrowField::new(&field.name, arrow_type(&field.field_type)?, !field.required)))
}

pub(super) fn arrow_type(field_type: &Type) -> Result<DataType> {
    use PrimitiveType as P;
    let utc = || Some(Arc::from("UTC"));
    Ok(match field_type {
        Type::Primitive(primitive) => match primitive {
            P::Boolean => DataType::Boolean,
            P::Int => DataType::Int32,
            P::Long => DataType::Int64,
            P::Float => DataType::Float32,
            P::Double => DataType::Float64,
            P::Decimal { precision, scale } => DataType::Decimal128(*precision, *scale as i8),
            P::Date => DataType::Date32,
            P::Time => DataType::Time64(TimeUnit::Microsecond),
            P::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
            P::Timestamptz => DataType::Timestamp(TimeUnit::Microsecond, utc()),
            P::TimestampNs => DataType::Timestamp(TimeUnit::Nanosecond, None),
            P::TimestamptzNs => DataType::Timestamp(TimeUnit::Nanosecond, utc()),
            P::String => DataType::Utf8,
            P::Uuid => DataType::FixedSizeBinary(16),
            P::Fixed(length) => DataType::FixedSizeBinary(*length as i32),
            P::Binary | P::Geometry { .. } | P::Geography { .. } => DataType::Binary,
            P::Unknown => DataType::Null,
        },
        Type::Struct(fields) => {
            DataType::Struct(fields.fields.iter().map(arrow_field).collect::<Result<_>>()?)
        }
        Type::List(list) => DataType::List(arrow_field(&list.element)?),
        Type::Map(map) => {
            let pair = [arrow_field(&map.key)?, arrow_field(&map.value)?];
            let entries = ArrowField::new("key_value", DataType::Struct(pair.into_iter().collect()), false);
            DataType::Map(Arc::new(entries), false)
        }
        Type::Variant | Type::Unrecognized(_) => {
            return Err(Error::unsupported(format!("no Arrow type for {field_type} of an Avro file")));
        }
    })
}
