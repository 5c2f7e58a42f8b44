//! Which bytes have the same order as the rows of a table?
//!
//! In: batches in the table's form. Out: one key per row.
//! Spec: Sorting.
//!
//! ```text
//! per field   0 null first, 1 a value, 2 null last     then, of a value, its ordered bytes, inverted where it descends
//! ```
//!
//! Invariant: comparing keys byte by byte gives the order of the rows by the sort fields.

use arrow_array::{BinaryArray, RecordBatch};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use floeberg_core::schema::{PrimitiveType, Schema, Type};
use floeberg_core::transform::Transform;
use floeberg_core::{Context as _, Error, Result};
use floeberg_files::OrderedValues;

use crate::metadata::{NullOrder, SortDirection, SortOrder};
use crate::write::derived::Derived;

/// How keys are made.
#[derive(Debug)]
pub(in crate::write) struct FieldKeys {
    fields: Vec<KeyField>,
}

#[derive(Debug)]
struct KeyField {
    column: Derived,
    descends: bool,
    null: u8,
}

impl FieldKeys {
    /// For a sort order; `None` for unsorted rows. An order with an unknown transform cannot be kept, and counts as unsorted.
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
        let columns: Vec<_> = columns.iter().map(OrderedValues::of).collect::<Result<_>>()?;
        keys_of(batch.num_rows(), |keys, row| {
            for (field, values) in self.fields.iter().zip(&columns) {
                field.put(keys, values, row);
            }
        })
    }
}

/// For how many bytes of a key memory is reserved at most.
const MOST_RESERVED: usize = 32;

/// The keys of so many rows. `put` adds the bytes of a row.
///
/// Errors: `LimitExceeded` for more bytes than an array has.
pub(super) fn keys_of(rows: usize, mut put: impl FnMut(&mut Vec<u8>, usize)) -> Result<BinaryArray> {
    let (mut bytes, mut ends) = (Vec::new(), Vec::with_capacity(rows + 1));
    ends.push(0);
    for row in 0..rows {
        put(&mut bytes, row);
        if row == 0 {
            // Most keys are about as long as the first one.
            bytes.reserve(bytes.len().min(MOST_RESERVED) * rows);
        }
        let end = i32::try_from(bytes.len());
        ends.push(
            end.map_err(|_| Error::limit("the values that rows are sorted by are too long: over 2 GiB"))?,
        );
    }
    let ends = OffsetBuffer::new(ScalarBuffer::from(ends));
    BinaryArray::try_new(ends, Buffer::from_vec(bytes), None)
        .map_err(|error| Error::internal("the keys of rows").caused_by(error))
}

impl KeyField {
    fn put(&self, key: &mut Vec<u8>, values: &OrderedValues<'_>, row: usize) {
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
