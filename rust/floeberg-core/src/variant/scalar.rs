//! What is a value without parts?
//!
//! In: the bytes of one value. Out: its type, and its data without the header.
//! Spec: Parquet `VariantEncoding.md`, Encoding types.
//!
//! Invariant: null, objects, arrays and unknown types are not scalars; digits and scale of a decimal are exact.

use super::encode::Primitive;
use super::value::{Kind, damaged};
use crate::error::Result;

/// A value without parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scalar<'a> {
    pub(super) kind: Primitive,
    /// What is stored: numbers in little-endian, texts and bytes without their length.
    pub(super) data: &'a [u8],
}

/// An exact number: `unscaled` / 10^`scale`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal {
    pub(super) unscaled: i128,
    pub(super) scale: u8,
}

/// The most digits after the point.
const MOST_SCALE: u8 = 38;

impl<'a> Scalar<'a> {
    /// The scalar of the bytes of one value, whose length was checked; `None` for a value with parts, null, or an unknown type.
    pub(super) fn of(value: &'a [u8]) -> Result<Option<Self>> {
        let cut_off = || damaged("its data is cut off");
        let (header, data) = value.split_first().ok_or_else(cut_off)?;
        let kind = match Kind::of(*header) {
            Kind::ShortString(_) => return Ok(Some(Self { kind: Primitive::String, data })),
            Kind::Primitive(number) => Primitive::of(number),
            Kind::Object | Kind::Array => None,
        };
        let Some(kind) = kind else { return Ok(None) };
        // Their length is before them.
        let skipped = if matches!(kind, Primitive::String | Primitive::Binary) { 4 } else { 0 };
        Ok(Some(Self { kind, data: data.get(skipped..).ok_or_else(cut_off)? }))
    }

    /// The number, if it is a decimal. Errors: `InvalidData` for a scale that no decimal has.
    pub(super) fn decimal(&self) -> Result<Option<Decimal>> {
        if !matches!(self.kind, Primitive::Decimal4 | Primitive::Decimal8 | Primitive::Decimal16) {
            return Ok(None);
        }
        let Some((scale, unscaled)) = self.data.split_first() else {
            return Err(damaged("its scale is cut off"));
        };
        if *scale > MOST_SCALE {
            return Err(damaged(&format!("a decimal has the invalid scale {scale}")));
        }
        let is_negative = unscaled.last().is_some_and(|last| last & 0x80 != 0);
        let mut wide = [if is_negative { 0xff } else { 0 }; 16];
        for (wide, byte) in wide.iter_mut().zip(unscaled) {
            *wide = *byte;
        }
        Ok(Some(Decimal { unscaled: i128::from_le_bytes(wide), scale: *scale }))
    }
}

impl Decimal {
    /// The same number without zeros at its end, as far as another scale needs it.
    pub(super) fn at_scale(mut self, scale: u8) -> Self {
        while self.scale > scale && self.unscaled % 10 == 0 {
            self = Self { unscaled: self.unscaled / 10, scale: self.scale - 1 };
        }
        self
    }

    /// Digits before the point: fewer than none where zeros follow it, as of 0.001.
    pub(super) fn whole_digits(self) -> i32 {
        let digits = self.unscaled.unsigned_abs().checked_ilog10().map_or(1, |digits| digits as i32 + 1);
        digits - i32::from(self.scale)
    }

    /// The unscaled number of the same decimal in a column; `None` if it does not fit exactly.
    pub(super) fn in_column(self, precision: u8, scale: u8) -> Option<i128> {
        let added = scale.checked_sub(self.scale)?;
        if self.whole_digits() + i32::from(scale) > i32::from(precision) {
            return None;
        }
        10_i128.checked_pow(u32::from(added))?.checked_mul(self.unscaled)
    }
}
