//! A column of a stripe, read from its start.
//!
//! Spec: ORC v1, Column Encodings: a null takes no place in the streams of its column, nor in those of its parts.
//!
//! Invariant: no column asks for more elements of its parts than [`MOST_ELEMENTS`] at once.

use arrow_array::ArrayRef;
use arrow_buffer::{ArrowNativeType, BooleanBufferBuilder, NullBuffer};
use arrow_schema::FieldRef;
use floeberg_core::{Context, Error, Result};

use crate::read::rle::Bits;

/// How many elements of lists and maps a batch may have.
pub(super) const MOST_ELEMENTS: usize = 1 << 26;

/// How the values of a type are decoded.
pub(super) trait Decode: Send {
    /// The next rows. Those that `nulls` says have no value.
    fn decode(&mut self, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef>;
}

/// A column of a stripe.
pub(crate) struct ColumnReader {
    /// Its name, id and Arrow type, with the parts that are read.
    pub(crate) field: FieldRef,
    present: Option<Bits>,
    values: Box<dyn Decode>,
}

impl ColumnReader {
    pub(super) fn new(field: FieldRef, present: Option<Bits>, values: Box<dyn Decode>) -> Self {
        Self { field, present, values }
    }

    /// The next rows of the parent, of which some have no value.
    pub(crate) fn read(&mut self, rows: usize, parent: Option<&NullBuffer>) -> Result<ArrayRef> {
        self.nulls(rows, parent)
            .and_then(|nulls| self.values.decode(rows, nulls))
            .context("column", self.field.name())
    }

    fn nulls(&mut self, rows: usize, parent: Option<&NullBuffer>) -> Result<Option<NullBuffer>> {
        let nulls = match (&mut self.present, parent) {
            (None, parent) => parent.cloned(),
            (Some(present), None) => Some(NullBuffer::new(present.read(rows)?)),
            (Some(present), Some(parent)) => {
                let own = present.read(parent.len() - parent.null_count())?;
                let mut bits = BooleanBufferBuilder::new(rows);
                bits.append_n(rows, false);
                for (row, bit) in parent.valid_indices().zip(&own) {
                    bits.set_bit(row, bit);
                }
                Some(NullBuffer::new(bits.finish()))
            }
        };
        Ok(nulls.filter(|nulls| nulls.null_count() > 0))
    }
}

/// How many of the next rows have a value.
pub(super) fn valued(rows: usize, nulls: Option<&NullBuffer>) -> usize {
    rows - nulls.map_or(0, NullBuffer::null_count)
}

/// Values in the rows that have one, and zero in the others.
pub(super) fn spread<T: ArrowNativeType>(values: Vec<T>, nulls: Option<&NullBuffer>) -> Vec<T> {
    let Some(nulls) = nulls else { return values };
    let mut spread = vec![T::default(); nulls.len()];
    for (row, value) in nulls.valid_indices().zip(values) {
        spread[row] = value;
    }
    spread
}

/// The starts and ends of values of such lengths; a null is as long as nothing.
///
/// Errors: `InvalidData` for a negative length, `LimitExceeded` where together they are longer than `limit`.
pub(super) fn offsets(
    lengths: Vec<i64>,
    nulls: Option<&NullBuffer>,
    limit: usize,
    what: &str,
) -> Result<Vec<i32>> {
    let lengths = spread(lengths, nulls);
    let mut offsets = Vec::with_capacity(lengths.len() + 1);
    let mut end = 0_i32;
    offsets.push(end);
    for length in lengths {
        let length = u64::try_from(length)
            .map_err(|_| Error::invalid_data(format!("a value of the ORC file has the length {length}")))?;
        let sum = (end as u64).checked_add(length).filter(|sum| *sum <= limit as u64);
        let sum = sum.and_then(|sum| i32::try_from(sum).ok());
        end = sum.ok_or_else(|| Error::limit(format!("a batch has more than {limit} {what}")))?;
        offsets.push(end);
    }
    Ok(offsets)
}
