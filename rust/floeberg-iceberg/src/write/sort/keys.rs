//! Which bytes are ordered as the rows of a table are?
//!
//! In: batches in the table's form. Out: a key a row.
//! Spec: Sorting.
//!
//! ```text
//! per field   0 null first, 1 a value, 2 null last     then, of a value, inverted where it descends:
//!   numbers   big-endian, the sign bit flipped; floats negative ones inverted: -NaN < -inf < -0 < 0 < inf < NaN
//!   bytes     0x00 as 0x00 0xff, and 0x00 0x00 at the end
//! ```
//!
//! Invariant: keys are compared byte by byte exactly as the rows are by the fields, one after another.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Date32Type, Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch};
use arrow_schema::DataType;
use floeberg_core::schema::{PrimitiveType, Schema, Type};
use floeberg_core::transform::Transform;
use floeberg_core::{Context as _, Error, Result};

use crate::metadata::{NullOrder, SortDirection, SortOrder};
use crate::write::derived::Derived;

/// How keys are made.
#[derive(Debug)]
pub(in crate::write) struct SortKeys {
    fields: Vec<KeyField>,
}

#[derive(Debug)]
struct KeyField {
    column: Derived,
    descends: bool,
    null: u8,
}

impl SortKeys {
    /// Of a sort order; `None` where rows are in none. An order by a transform that is not known cannot be kept, and is none.
    ///
    /// Errors: those of [`Derived::new`], `Unsupported` for a column whose values have no order.
    pub fn new(order: &SortOrder, schema: &Schema) -> Result<Option<Self>> {
        let is_known = |transform: &Transform| !matches!(transform, Transform::Unknown(_));
        if order.fields.is_empty() || !order.fields.iter().all(|field| is_known(&field.transform)) {
            return Ok(None);
        }
        let fields = order.fields.iter().map(|field| {
            let column = Derived::new(&field.transform, &field.source_ids, schema)
                .context("sort order", order.order_id)?;
            let is_ordered = match &column.result {
                Type::Primitive(primitive) => {
                    !matches!(primitive, PrimitiveType::Geometry { .. } | PrimitiveType::Geography { .. })
                }
                _ => false,
            };
            if !is_ordered {
                let message = format!("rows cannot be sorted by values of type {}", column.result);
                return Err(Error::unsupported(message).with("sort order", order.order_id));
            }
            let null = if field.null_order == NullOrder::First { 0 } else { 2 };
            Ok(KeyField { column, descends: field.direction == SortDirection::Descending, null })
        });
        Ok(Some(Self { fields: fields.collect::<Result<_>>()? }))
    }

    /// The keys of the rows of a batch.
    pub fn of(&self, batch: &RecordBatch) -> Result<BinaryArray> {
        let columns = self.fields.iter().map(|field| field.column.of(batch)).collect::<Result<Vec<_>>>()?;
        let columns: Vec<_> = columns.iter().map(Values::of).collect::<Result<_>>()?;
        let mut key = Vec::new();
        let rows = (0..batch.num_rows()).map(|row| {
            key.clear();
            for (field, values) in self.fields.iter().zip(&columns) {
                field.put(&mut key, values, row);
            }
            key.clone()
        });
        Ok(BinaryArray::from_iter_values(rows))
    }
}

impl KeyField {
    fn put(&self, key: &mut Vec<u8>, values: &Values<'_>, row: usize) {
        if values.is_null(row) {
            return key.push(self.null);
        }
        key.push(1);
        let start = key.len();
        values.put(key, row);
        if self.descends {
            key[start..].iter_mut().for_each(|byte| *byte = !*byte);
        }
    }
}

/// The values of a column, by what their keys are made of.
pub(in crate::write) enum Values<'a> {
    Null,
    Boolean(&'a arrow_array::BooleanArray),
    Int(&'a arrow_array::Int32Array),
    Date(&'a arrow_array::Date32Array),
    Long(arrow_array::Int64Array),
    Float(&'a arrow_array::Float32Array),
    Double(&'a arrow_array::Float64Array),
    Decimal(&'a arrow_array::Decimal128Array),
    Text(&'a arrow_array::StringArray),
    Bytes(&'a BinaryArray),
    Fixed(&'a arrow_array::FixedSizeBinaryArray),
}

impl<'a> Values<'a> {
    /// Errors: `Internal` for nested values.
    pub fn of(array: &'a ArrayRef) -> Result<Self> {
        Ok(match array.data_type() {
            DataType::Null => Self::Null,
            DataType::Boolean => Self::Boolean(array.as_boolean()),
            DataType::Int32 => Self::Int(array.as_primitive::<Int32Type>()),
            DataType::Date32 => Self::Date(array.as_primitive::<Date32Type>()),
            DataType::Int64 | DataType::Time64(_) | DataType::Timestamp(..) => {
                let data = array.to_data().into_builder().data_type(DataType::Int64).build();
                let data = data.map_err(|error| Error::internal("a key of 64 bits").caused_by(error))?;
                Self::Long(arrow_array::make_array(data).as_primitive::<Int64Type>().clone())
            }
            DataType::Float32 => Self::Float(array.as_primitive::<Float32Type>()),
            DataType::Float64 => Self::Double(array.as_primitive::<Float64Type>()),
            DataType::Decimal128(..) => Self::Decimal(array.as_primitive::<Decimal128Type>()),
            DataType::Utf8 => Self::Text(array.as_string::<i32>()),
            DataType::Binary => Self::Bytes(array.as_binary::<i32>()),
            DataType::FixedSizeBinary(_) => Self::Fixed(array.as_fixed_size_binary()),
            other => return Err(Error::internal(format!("rows are sorted by values of {other}"))),
        })
    }

    pub fn is_null(&self, row: usize) -> bool {
        match self {
            Self::Null => true,
            Self::Boolean(values) => values.is_null(row),
            Self::Int(values) => values.is_null(row),
            Self::Date(values) => values.is_null(row),
            Self::Long(values) => values.is_null(row),
            Self::Float(values) => values.is_null(row),
            Self::Double(values) => values.is_null(row),
            Self::Decimal(values) => values.is_null(row),
            Self::Text(values) => values.is_null(row),
            Self::Bytes(values) => values.is_null(row),
            Self::Fixed(values) => values.is_null(row),
        }
    }

    /// Adds the bytes of a value that is not null.
    pub fn put(&self, key: &mut Vec<u8>, row: usize) {
        match self {
            Self::Null => {}
            Self::Boolean(values) => key.push(u8::from(values.value(row))),
            Self::Int(values) => key.extend((values.value(row) ^ i32::MIN).to_be_bytes()),
            Self::Date(values) => key.extend((values.value(row) ^ i32::MIN).to_be_bytes()),
            Self::Long(values) => key.extend((values.value(row) ^ i64::MIN).to_be_bytes()),
            Self::Float(values) => {
                let bits = values.value(row).to_bits();
                let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
                key.extend(ordered.to_be_bytes());
            }
            Self::Double(values) => {
                let bits = values.value(row).to_bits();
                let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
                key.extend(ordered.to_be_bytes());
            }
            Self::Decimal(values) => key.extend((values.value(row) ^ i128::MIN).to_be_bytes()),
            Self::Text(values) => put_bytes(key, values.value(row).as_bytes()),
            Self::Bytes(values) => put_bytes(key, values.value(row)),
            Self::Fixed(values) => key.extend(values.value(row)),
        }
    }
}

fn put_bytes(key: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        key.push(*byte);
        if *byte == 0 {
            key.push(0xff);
        }
    }
    key.extend([0, 0]);
}
