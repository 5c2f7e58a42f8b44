//! How are the values of a column encoded?
//!
//! In: Arrow columns in the table's form, and their fields. Out: the values of one row after another, in the order of the declared
//! schema.
//! Spec: Appendix A, Avro; Avro 1.12, Binary Encoding.
//!
//! Invariant: rows are encoded as `declare` declares their fields: a union with null if a field is optional, no bytes if it is
//! `unknown`.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, StringArray, make_array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use floeberg_avro::write::{Encoder, decimal_size};
use floeberg_core::schema::{Field, PrimitiveType, StructType, Type};
use floeberg_core::{Error, Result};

/// A column, ready to be encoded value by value.
#[derive(Debug)]
pub(super) struct Column {
    name: String,
    /// May a value be null? Then it is encoded as a union.
    is_optional: bool,
    nulls: Option<NullBuffer>,
    values: Values,
}

#[derive(Debug)]
enum Values {
    /// Of type `unknown`: no bytes.
    Unknown,
    Boolean(BooleanArray),
    Int(ScalarBuffer<i32>),
    Long(ScalarBuffer<i64>),
    Float(ScalarBuffer<f32>),
    Double(ScalarBuffer<f64>),
    /// With the number of bytes of each value.
    Decimal(ScalarBuffer<i128>, usize),
    Text(StringArray),
    Bytes(BinaryArray),
    Fixed(FixedSizeBinaryArray),
    Record(Vec<Column>),
    /// Of lists and maps: where each starts and ends, and what an item is made of.
    Items(OffsetBuffer<i32>, Vec<Column>),
}

impl Column {
    /// The columns of fields.
    pub(super) fn all(fields: &[Field], arrays: &[ArrayRef]) -> Result<Vec<Self>> {
        if fields.len() != arrays.len() {
            let (expected, found) = (fields.len(), arrays.len());
            return Err(Error::internal(format!("expected rows of {expected} columns, found {found}")));
        }
        fields.iter().zip(arrays).map(|(field, array)| Self::new(field, array)).collect()
    }

    fn new(field: &Field, array: &ArrayRef) -> Result<Self> {
        let values = Values::new(&field.field_type, array).ok_or_else(|| {
            Error::internal(format!(
                "values of type {} came as an array of {}",
                field.field_type,
                array.data_type()
            ))
            .with("column", &field.name)
        })??;
        let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        Ok(Self { name: field.name.clone(), is_optional: !field.required, nulls, values })
    }

    /// Puts the value of a row.
    pub(super) fn put(&self, encoder: &mut Encoder, row: usize) -> Result<()> {
        if let Values::Unknown = self.values {
            return Ok(());
        }
        let is_null = self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
        if self.is_optional {
            encoder.long(i64::from(!is_null));
            if is_null {
                return Ok(());
            }
        } else if is_null {
            return Err(Error::invalid_input("a required column is null").with("column", &self.name));
        }
        match &self.values {
            Values::Unknown => {}
            Values::Boolean(values) => encoder.boolean(values.value(row)),
            Values::Int(values) => encoder.int(values[row]),
            Values::Long(values) => encoder.long(values[row]),
            Values::Float(values) => encoder.float(values[row]),
            Values::Double(values) => encoder.double(values[row]),
            Values::Decimal(values, size) => {
                let bytes = values[row].to_be_bytes();
                encoder.fixed(&bytes[bytes.len() - size..]);
            }
            Values::Text(values) => encoder.prefixed(values.value(row).as_bytes()),
            Values::Bytes(values) => encoder.prefixed(values.value(row)),
            Values::Fixed(values) => encoder.fixed(values.value(row)),
            Values::Record(columns) => {
                for column in columns {
                    column.put(encoder, row)?;
                }
            }
            Values::Items(offsets, columns) => {
                let (start, end) = (offsets[row], offsets[row + 1]);
                if end > start {
                    encoder.long(i64::from(end - start));
                    for item in start as usize..end as usize {
                        for column in columns {
                            column.put(encoder, item)?;
                        }
                    }
                }
                encoder.long(0);
            }
        }
        Ok(())
    }
}

impl Values {
    /// `None` if an array does not have the Arrow type of its column.
    fn new(field_type: &Type, array: &ArrayRef) -> Option<Result<Self>> {
        use PrimitiveType as P;
        Some(match field_type {
            Type::Struct(StructType { fields }) => {
                Column::all(fields, array.as_struct_opt()?.columns()).map(Self::Record)
            }
            Type::List(list) => {
                let lists = array.as_list_opt::<i32>()?;
                let element = Column::new(&list.element, lists.values());
                element.map(|element| Self::Items(lists.offsets().clone(), vec![element]))
            }
            Type::Map(map) => {
                let maps = array.as_map_opt()?;
                let pair = [map.key.clone(), map.value.clone()];
                let columns = Column::all(&pair, maps.entries().columns());
                columns.map(|columns| Self::Items(maps.offsets().clone(), columns))
            }
            Type::Variant => {
                let parts = ["metadata", "value"].map(|name| Field::required(0, name, P::Binary));
                Column::all(&parts, array.as_struct_opt()?.columns()).map(Self::Record)
            }
            Type::Primitive(primitive) => Ok(Self::primitive(primitive, array)?),
            Type::Unrecognized(_) => return None,
        })
    }

    fn primitive(primitive: &PrimitiveType, array: &ArrayRef) -> Option<Self> {
        use PrimitiveType as P;
        Some(match primitive {
            P::Unknown => Self::Unknown,
            P::Boolean => Self::Boolean(array.as_boolean_opt()?.clone()),
            P::Int | P::Date => {
                Self::Int(raw(array, DataType::Int32)?.as_primitive_opt::<Int32Type>()?.values().clone())
            }
            P::Long | P::Time | P::Timestamp | P::Timestamptz | P::TimestampNs | P::TimestamptzNs => {
                Self::Long(raw(array, DataType::Int64)?.as_primitive_opt::<Int64Type>()?.values().clone())
            }
            P::Float => Self::Float(array.as_primitive_opt::<Float32Type>()?.values().clone()),
            P::Double => Self::Double(array.as_primitive_opt::<Float64Type>()?.values().clone()),
            P::Decimal { precision, .. } => {
                let values = array.as_primitive_opt::<Decimal128Type>()?.values().clone();
                Self::Decimal(values, decimal_size(*precision))
            }
            P::String => Self::Text(array.as_string_opt::<i32>()?.clone()),
            P::Binary | P::Geometry { .. } | P::Geography { .. } => {
                Self::Bytes(array.as_binary_opt::<i32>()?.clone())
            }
            P::Uuid | P::Fixed(_) => Self::Fixed(array.as_fixed_size_binary_opt()?.clone()),
        })
    }
}

/// The same buffers as plain numbers.
fn raw(array: &ArrayRef, data_type: DataType) -> Option<ArrayRef> {
    if array.data_type() == &data_type {
        return Some(ArrayRef::clone(array));
    }
    array.to_data().into_builder().data_type(data_type).build().ok().map(make_array)
}
