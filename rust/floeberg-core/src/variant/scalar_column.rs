//! How does a typed column of values without parts grow?
//!
//! In: values, row by row. Out: the column, with null for values of other types.
//! Spec: Parquet `VariantShredding.md`, Shredded Value Types.
//!
//! Invariant: an accepted value reads back with the same type. A column accepts only integers of its width and decimals of its
//! type, as in Iceberg Java; a decimal may get zeros after its point.

use std::sync::Arc;

use arrow_array::builder::BooleanBuilder;
use arrow_array::{Array as _, ArrayRef, FixedSizeBinaryArray, StringArray, make_array};
use arrow_buffer::{Buffer, NullBufferBuilder};
use arrow_schema::DataType;

use super::bytes::Bytes;
use super::encode::Primitive;
use super::scalar::Scalar;
use super::value::damaged;
use crate::error::{Error, Result};

/// A typed column.
pub(super) struct ScalarColumn {
    kind: Primitive,
    column: DataType,
    rows: Rows,
}

enum Rows {
    Booleans(BooleanBuilder),
    /// Values of this many bytes, as variants and Arrow both have them: little-endian numbers.
    Fixed(usize, Vec<u8>, NullBufferBuilder),
    Bytes(Bytes),
}

impl ScalarColumn {
    /// Of values of a type.
    pub(super) fn new(kind: Primitive, column: &DataType) -> Self {
        let rows = match column {
            DataType::Boolean => Rows::Booleans(BooleanBuilder::new()),
            DataType::Binary | DataType::Utf8 => Rows::Bytes(Bytes::new()),
            DataType::FixedSizeBinary(_) => fixed(16),
            other => fixed(other.primitive_width().unwrap_or_default()),
        };
        Self { kind, column: column.clone(), rows }
    }

    /// Appends a value; `false` if it has another type and is not appended.
    pub(super) fn append(&mut self, value: &[u8]) -> Result<bool> {
        let Some(scalar) = Scalar::of(value)? else { return Ok(false) };
        if let Rows::Booleans(rows) = &mut self.rows {
            let is_boolean = matches!(scalar.kind, Primitive::True | Primitive::False);
            if is_boolean {
                rows.append_value(scalar.kind == Primitive::True);
            }
            return Ok(is_boolean);
        }
        if scalar.kind != self.kind {
            return Ok(false);
        }
        match (&mut self.rows, &self.column) {
            (Rows::Fixed(_, data, nulls), DataType::Decimal128(precision, scale)) => {
                let decimal = scalar.decimal()?;
                let unscaled =
                    decimal.and_then(|decimal| decimal.in_column(*precision, scale.unsigned_abs()));
                let Some(unscaled) = unscaled else { return Ok(false) };
                data.extend_from_slice(&unscaled.to_le_bytes());
                nulls.append_non_null();
            }
            (Rows::Fixed(width, data, nulls), _) => {
                if scalar.data.len() != *width {
                    return Err(damaged("its data does not have the length of its type"));
                }
                data.extend_from_slice(scalar.data);
                nulls.append_non_null();
            }
            (Rows::Bytes(rows), _) => rows.append(scalar.data)?,
            (Rows::Booleans(_), _) => {}
        }
        Ok(true)
    }

    /// Appends a null.
    pub(super) fn skip(&mut self) {
        match &mut self.rows {
            Rows::Booleans(rows) => rows.append_null(),
            Rows::Fixed(width, data, nulls) => {
                data.resize(data.len() + *width, 0);
                nulls.append_null();
            }
            Rows::Bytes(rows) => rows.skip(),
        }
    }

    /// The column. Errors: `InvalidData` for a string that is not UTF-8.
    pub(super) fn finish(self) -> Result<ArrayRef> {
        let no_column =
            |error| Error::internal("the values of variants do not fit into a column").caused_by(error);
        match self.rows {
            Rows::Booleans(mut rows) => Ok(Arc::new(rows.finish())),
            Rows::Bytes(rows) => {
                let rows = rows.finish()?;
                if self.column != DataType::Utf8 {
                    return Ok(Arc::new(rows));
                }
                let texts = StringArray::try_from_binary(rows);
                Ok(Arc::new(texts.map_err(|error| damaged("a string is not valid UTF-8").caused_by(error))?))
            }
            Rows::Fixed(width, data, mut nulls) => {
                let values =
                    FixedSizeBinaryArray::try_new(width as i32, Buffer::from_vec(data), nulls.finish());
                // The same buffers, as the column's type.
                let column = values.map_err(no_column)?.to_data().into_builder().data_type(self.column);
                Ok(make_array(column.align_buffers(true).build().map_err(no_column)?))
            }
        }
    }
}

fn fixed(width: usize) -> Rows {
    Rows::Fixed(width, Vec::new(), NullBufferBuilder::new(0))
}
