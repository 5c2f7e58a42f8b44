//! How are rows dropped from a batch?
//!
//! In: a batch, and a mask of the kept rows. Out: a batch of the kept rows, in order.
//!
//! Arrow's own filter is made for a few long runs or a few rows. This one is made for many short runs, as scattered
//! deletes leave them: values move down within the buffers that the batch owns.
//!
//! Invariant: the result equals that of Arrow's own filter, which handles all other types.

use std::cell::OnceCell;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, BinaryType, ByteArrayType, Utf8Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, GenericByteArray, PrimitiveArray, RecordBatch, RecordBatchOptions,
    StructArray, downcast_primitive,
};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType};
use arrow_select::filter::{FilterBuilder, FilterPredicate};

use super::compact::{Run, compact_bits, compact_bytes, compact_values};
use crate::error::{Error, Result};

/// So many bytes tell whether strings are ASCII.
const ASCII_SAMPLE: usize = 4 << 10;

/// The rows of a batch that stay.
#[derive(Debug)]
pub struct KeptRows {
    mask: BooleanArray,
    runs: Vec<Run>,
    count: usize,
    /// Arrow's own filter for the same rows, made when a type needs it.
    fallback: OnceCell<FilterPredicate>,
}

impl KeptRows {
    /// The rows whose bit is set. Batches must be as long as the mask.
    pub fn new(mask: BooleanBuffer) -> Self {
        let runs: Vec<Run> = mask.set_slices().map(|(start, end)| start..end).collect();
        let count = runs.iter().map(Run::len).sum();
        Self { mask: BooleanArray::new(mask, None), runs, count, fallback: OnceCell::new() }
    }

    /// A batch of the rows that stay. Buffers that no other array shares are reused.
    ///
    /// Errors: `Internal` for a batch that is not as long as the mask.
    pub fn filter(&self, batch: RecordBatch) -> Result<RecordBatch> {
        let rows = batch.num_rows();
        if rows != self.mask.len() {
            let wanted = self.mask.len();
            return Err(Error::internal(format!("a mask of {wanted} rows is for a batch of {rows}")));
        }
        if self.count == rows {
            return Ok(batch);
        }
        let (schema, columns, _) = batch.into_parts();
        columns
            .into_iter()
            .map(|column| self.array(column))
            .collect::<Result<_, _>>()
            .and_then(|columns| {
                let options = RecordBatchOptions::new().with_row_count(Some(self.count));
                RecordBatch::try_new_with_options(schema, columns, &options)
            })
            .map_err(|error| Error::internal(format!("a batch cannot be filtered: {error}")))
    }

    fn array(&self, array: ArrayRef) -> Result<ArrayRef, ArrowError> {
        macro_rules! primitive {
            ($t:ty) => {
                Ok(Arc::new(self.primitive::<$t>(array)))
            };
        }
        downcast_primitive! {
            array.data_type() => (primitive),
            DataType::Boolean => Ok(Arc::new(self.boolean(&array))),
            DataType::Utf8 if is_ascii(&array) => Ok(Arc::new(self.bytes::<Utf8Type>(array)?)),
            DataType::Binary => Ok(Arc::new(self.bytes::<BinaryType>(array)?)),
            DataType::Struct(_) => Ok(Arc::new(self.fields(array)?)),
            _ => self.fallback(&array),
        }
    }

    fn primitive<T: ArrowPrimitiveType>(&self, array: ArrayRef) -> PrimitiveArray<T> {
        let typed = array.as_primitive::<T>().clone();
        drop(array);
        let (data_type, values, nulls) = typed.into_parts();
        let mut values = owned(values);
        compact_values(&mut values, &self.runs);
        PrimitiveArray::new(values.into(), self.nulls(nulls)).with_data_type(data_type)
    }

    fn bytes<T: ByteArrayType<Offset = i32>>(
        &self,
        array: ArrayRef,
    ) -> Result<GenericByteArray<T>, ArrowError> {
        let typed = array.as_bytes::<T>().clone();
        drop(array);
        let (offsets, values, nulls) = typed.into_parts();
        let mut offsets = owned(offsets.into_inner());
        let mut values = values.into_vec::<u8>().unwrap_or_else(|shared| shared.to_vec());
        compact_bytes(&mut offsets, &mut values, &self.runs);
        GenericByteArray::try_new(OffsetBuffer::new(offsets.into()), values.into(), self.nulls(nulls))
    }

    fn boolean(&self, array: &ArrayRef) -> BooleanArray {
        let (values, nulls) = array.as_boolean().clone().into_parts();
        BooleanArray::new(compact_bits(&values, &self.runs, self.count), self.nulls(nulls))
    }

    fn fields(&self, array: ArrayRef) -> Result<StructArray, ArrowError> {
        let typed = array.as_struct().clone();
        drop(array);
        let (fields, columns, nulls) = typed.into_parts();
        let columns = columns.into_iter().map(|column| self.array(column)).collect::<Result<Vec<_>, _>>()?;
        StructArray::try_new_with_length(fields, columns, self.nulls(nulls), self.count)
    }

    fn fallback(&self, array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        self.fallback.get_or_init(|| FilterBuilder::new(&self.mask).optimize().build()).filter(array)
    }

    fn nulls(&self, nulls: Option<NullBuffer>) -> Option<NullBuffer> {
        let nulls = nulls.filter(|nulls| nulls.null_count() > 0)?;
        let left = NullBuffer::new(compact_bits(nulls.inner(), &self.runs, self.count));
        Some(left).filter(|left| left.null_count() > 0)
    }
}

/// Are strings probably ASCII, by their start? Strings are validated when an array is made of them, which is
/// cheap for ASCII and not for other text.
fn is_ascii(array: &ArrayRef) -> bool {
    let bytes = array.as_string::<i32>().value_data();
    bytes[..bytes.len().min(ASCII_SAMPLE)].is_ascii()
}

/// The values of a buffer, without a copy where nothing else shares it.
fn owned<T: ArrowNativeType>(values: ScalarBuffer<T>) -> Vec<T> {
    values.into_inner().into_vec::<T>().unwrap_or_else(|shared| shared.typed_data::<T>().to_vec())
}
