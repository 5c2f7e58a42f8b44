//! Which Arrow schema, and which schema of this library, do columns have?
//!
//! In: the columns of a version. Out: an Arrow schema with the types as they are stored, and the library's own, in whose types
//! filters are bound.
//! Spec: Lance, Schemas & Fields; `lance-core/datatypes/field.rs`.
//!
//! Invariant: a type that the library lacks, such as a duration, is an error only where a filter asks for it.

use std::sync::Arc;

use arrow_schema::{DataType, Field as ArrowField, Fields, Metadata, TimeUnit};
use floeberg_core::schema::{Field as CoreField, ListType, MapType, PrimitiveType, StructType, Type};
use floeberg_core::{Context as _, Error, Result};

use super::logical_type::{leaf_to_arrow, struct_list_length};
use super::schema::{Field, Schema};

impl Schema {
    /// The Arrow schema. Errors: `Unsupported`, naming the column, for a type that this version does not know.
    pub fn to_arrow(&self) -> Result<arrow_schema::Schema> {
        let fields: Fields = self
            .fields()
            .iter()
            .map(|field| field.to_arrow().context("column", &field.name))
            .collect::<Result<Vec<_>>>()?
            .into();
        Ok(arrow_schema::Schema::new(fields).with_metadata(as_map(self.metadata())))
    }

    /// The schema in the library's types. Errors: `InvalidData`.
    pub fn to_core(&self) -> Result<floeberg_core::schema::Schema> {
        let fields = self.fields().iter().map(Field::to_core).collect();
        floeberg_core::schema::Schema::new(0, fields)
    }
}

impl Field {
    /// The Arrow field. Errors: those of [`Schema::to_arrow`].
    pub fn to_arrow(&self) -> Result<ArrowField> {
        let field = ArrowField::new(&self.name, self.arrow_type()?, self.nullable);
        Ok(field.with_metadata(as_map(&self.metadata)))
    }

    fn arrow_type(&self) -> Result<DataType> {
        let only_child = || match self.children.as_slice() {
            [child] => Ok(Arc::new(child.to_arrow()?)),
            others => Err(Error::invalid_data(format!(
                "expected one field in a {}, found {}",
                self.logical_type,
                others.len()
            ))),
        };
        Ok(match self.logical_type.as_str() {
            "struct" => {
                DataType::Struct(self.children.iter().map(Self::to_arrow).collect::<Result<Vec<_>>>()?.into())
            }
            "list" | "list.struct" => DataType::List(only_child()?),
            "large_list" | "large_list.struct" => DataType::LargeList(only_child()?),
            "map" => {
                let entries = only_child()?;
                match entries.data_type() {
                    DataType::Struct(parts) if parts.len() == 2 => DataType::Map(entries, false),
                    _ => {
                        return Err(Error::invalid_data("expected a struct of key and value in a map"));
                    }
                }
            }
            other => match struct_list_length(other)? {
                Some(length) => DataType::FixedSizeList(only_child()?, length),
                None if self.children.is_empty() => leaf_to_arrow(other)?,
                None => {
                    let message = format!("expected no fields in a field of type {other:?}, found some");
                    return Err(Error::invalid_data(message));
                }
            },
        })
    }

    /// The field in the library's types.
    fn to_core(&self) -> CoreField {
        let field_type = self.core_type().unwrap_or_else(|| Type::Unrecognized(self.logical_type.clone()));
        if self.nullable {
            CoreField::optional(self.id, &self.name, field_type)
        } else {
            CoreField::required(self.id, &self.name, field_type)
        }
    }

    /// `None` for a type that the library lacks.
    fn core_type(&self) -> Option<Type> {
        match self.logical_type.as_str() {
            "struct" => {
                let fields = self.children.iter().map(Self::to_core).collect();
                return Some(Type::Struct(StructType { fields }));
            }
            "list" | "list.struct" | "large_list" | "large_list.struct" => {
                let [element] = self.children.as_slice() else { return None };
                let element = CoreField { name: "element".to_owned(), ..element.to_core() };
                return Some(Type::List(Box::new(ListType { element })));
            }
            "map" => {
                let [entries] = self.children.as_slice() else { return None };
                let [key, value] = entries.children.as_slice() else { return None };
                let key = CoreField { name: "key".to_owned(), required: true, ..key.to_core() };
                let value = CoreField { name: "value".to_owned(), ..value.to_core() };
                return Some(Type::Map(Box::new(MapType { key, value })));
            }
            // Their bytes are not what they mean.
            "json" | "blob" => return None,
            _ => {}
        }
        core_type(&leaf_to_arrow(&self.logical_type).ok()?)
    }
}

/// The type of a leaf's values; a dictionary's are those that it stands for.
fn core_type(data_type: &DataType) -> Option<Type> {
    use PrimitiveType as P;
    Some(Type::Primitive(match data_type {
        DataType::Null => P::Unknown,
        DataType::Boolean => P::Boolean,
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::UInt8 | DataType::UInt16 => P::Int,
        DataType::Int64 | DataType::UInt32 => P::Long,
        DataType::UInt64 => P::Decimal { precision: 20, scale: 0 },
        DataType::Float16 | DataType::Float32 => P::Float,
        DataType::Float64 => P::Double,
        DataType::Decimal128(precision, scale) if *scale >= 0 => {
            P::Decimal { precision: *precision, scale: u8::try_from(*scale).ok()? }
        }
        DataType::Date32 => P::Date,
        DataType::Time32(_) | DataType::Time64(TimeUnit::Microsecond) => P::Time,
        DataType::Timestamp(TimeUnit::Nanosecond, None) => P::TimestampNs,
        DataType::Timestamp(TimeUnit::Nanosecond, Some(_)) => P::TimestamptzNs,
        DataType::Timestamp(_, None) => P::Timestamp,
        DataType::Timestamp(_, Some(_)) => P::Timestamptz,
        DataType::Utf8 | DataType::LargeUtf8 => P::String,
        DataType::Binary | DataType::LargeBinary => P::Binary,
        DataType::FixedSizeBinary(length) => P::Fixed(u32::try_from(*length).ok()?),
        DataType::Dictionary(_, values) => return core_type(values),
        _ => return None,
    }))
}

fn as_map(metadata: &[(String, String)]) -> Metadata {
    metadata.iter().cloned().collect()
}
