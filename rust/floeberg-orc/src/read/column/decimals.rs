//! Decimals: integers of any length, each with a scale of its own.
//!
//! Spec: ORC v1, Decimal Columns.
//!
//! Invariant: a value that the type cannot hold exactly is an error.

use std::sync::Arc;

use arrow_array::types::Decimal128Type;
use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_buffer::NullBuffer;
use floeberg_core::{Error, Result};

use super::reader::{Decode, spread, valued};
use crate::read::rle::Integers;
use crate::read::stream::ByteStream;

/// Decimals.
pub(super) struct Decimals {
    pub(super) values: ByteStream,
    pub(super) scales: Integers,
    pub(super) precision: u8,
    pub(super) scale: i8,
}

impl Decode for Decimals {
    fn decode(&mut self, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let count = valued(rows, nulls.as_ref());
        let scales = self.scales.read(count)?;
        let limit = 10_i128.pow(u32::from(self.precision));
        let mut values = Vec::with_capacity(scales.len());
        for scale in scales {
            let written = self.values.wide()?;
            let value = rescaled(written, scale, i64::from(self.scale));
            let value = value.filter(|value| -limit < *value && *value < limit).ok_or_else(|| {
                Error::invalid_data(format!(
                    "the decimal {written} of scale {scale} in the ORC file does not fit decimal({}, {})",
                    self.precision, self.scale
                ))
            })?;
            values.push(value);
        }
        let array = PrimitiveArray::<Decimal128Type>::new(spread(values, nulls.as_ref()).into(), nulls);
        let array = array.with_precision_and_scale(self.precision, self.scale);
        let array = array.map_err(|error| Error::internal(format!("a decimal type: {error}")))?;
        Ok(Arc::new(array))
    }
}

/// A value in another scale, where that is exact.
fn rescaled(value: i128, from: i64, to: i64) -> Option<i128> {
    let difference = to.checked_sub(from)?;
    if difference == 0 || value == 0 {
        return Some(value);
    }
    let factor = 10_i128.checked_pow(u32::try_from(difference.unsigned_abs()).ok()?)?;
    if difference > 0 { value.checked_mul(factor) } else { (value % factor == 0).then(|| value / factor) }
}
