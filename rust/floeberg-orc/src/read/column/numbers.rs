//! Booleans, integers, dates, times and floats.

use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Float32Type, Float64Type};
use arrow_array::{ArrayRef, BooleanArray, PrimitiveArray};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use floeberg_core::{Error, Result};

use super::reader::{Decode, spread, valued};
use crate::read::rle::{Bits, ByteRuns, Integers};
use crate::read::stream::ByteStream;

/// Booleans.
pub(super) struct Booleans(pub(super) Bits);

impl Decode for Booleans {
    fn decode(&mut self, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let values = self.0.read(valued(rows, nulls.as_ref()))?;
        let values = match &nulls {
            None => values,
            Some(nulls) => {
                let mut bits = BooleanBufferBuilder::new(rows);
                bits.append_n(rows, false);
                for (row, bit) in nulls.valid_indices().zip(&values) {
                    bits.set_bit(row, bit);
                }
                bits.finish()
            }
        };
        Ok(Arc::new(BooleanArray::new(values, nulls)))
    }
}

/// Integers of one byte, in their own encoding, as wider ones.
pub(super) struct Bytes(pub(super) ByteRuns);

impl Decode for Bytes {
    fn decode(&mut self, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let mut bytes = Vec::new();
        self.0.append(valued(rows, nulls.as_ref()), &mut bytes)?;
        let values = bytes.into_iter().map(|byte| i32::from(byte as i8)).collect();
        Ok(primitive::<arrow_array::types::Int32Type>(values, nulls))
    }
}

/// Integers of 32 bits, and what is counted in them.
pub(super) struct Narrow<T> {
    integers: Integers,
    of: std::marker::PhantomData<fn() -> T>,
}

impl<T> Narrow<T> {
    pub(super) fn new(integers: Integers) -> Self {
        Self { integers, of: std::marker::PhantomData }
    }
}

impl<T: ArrowPrimitiveType<Native = i32>> Decode for Narrow<T> {
    fn decode(&mut self, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let wide = self.integers.read(valued(rows, nulls.as_ref()))?;
        let narrow: Option<Vec<_>> = wide.iter().map(|value| i32::try_from(*value).ok()).collect();
        let values = narrow.ok_or_else(|| {
            Error::invalid_data("a column of 32 bits in the ORC file holds a value that does not fit")
        })?;
        Ok(primitive::<T>(values, nulls))
    }
}

/// Integers of 64 bits, and what is counted in them.
pub(super) struct Wide<T> {
    integers: Integers,
    of: std::marker::PhantomData<fn() -> T>,
}

impl<T> Wide<T> {
    pub(super) fn new(integers: Integers) -> Self {
        Self { integers, of: std::marker::PhantomData }
    }
}

impl<T: ArrowPrimitiveType<Native = i64>> Decode for Wide<T> {
    fn decode(&mut self, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let values = self.integers.read(valued(rows, nulls.as_ref()))?;
        Ok(primitive::<T>(values, nulls))
    }
}

/// Floats of 32 bits.
pub(super) struct Floats(pub(super) ByteStream);

impl Decode for Floats {
    fn decode(&mut self, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let mut bytes = Vec::new();
        self.0.append(valued(rows, nulls.as_ref()) * 4, &mut bytes)?;
        let (values, _) = bytes.as_chunks();
        Ok(primitive::<Float32Type>(values.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(), nulls))
    }
}

/// Floats of 64 bits.
pub(super) struct Doubles(pub(super) ByteStream);

impl Decode for Doubles {
    fn decode(&mut self, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let mut bytes = Vec::new();
        self.0.append(valued(rows, nulls.as_ref()) * 8, &mut bytes)?;
        let (values, _) = bytes.as_chunks();
        Ok(primitive::<Float64Type>(values.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect(), nulls))
    }
}

/// An array of the values of the rows that have one.
pub(super) fn primitive<T: ArrowPrimitiveType>(
    values: Vec<T::Native>,
    nulls: Option<NullBuffer>,
) -> ArrayRef {
    let values = spread(values, nulls.as_ref());
    Arc::new(PrimitiveArray::<T>::new(values.into(), nulls))
}
