//! Which whole number of its last digit is a number at another scale?

use arrow_array::ArrowNativeTypeOp;
use arrow_buffer::{ArrowNativeType, i256};

/// Why a single number does not fit.
pub(super) enum Miss {
    /// The type has one before it and one after it.
    Between,
    /// The type has no number as large.
    Beyond,
}

/// What a function makes of each number.
pub(super) type Made<N> = Result<N, Miss>;

/// Whole numbers that 256 bits hold.
pub(super) trait Wide {
    /// The same number.
    fn wide(self) -> i256;
}

impl Wide for i128 {
    fn wide(self) -> i256 {
        i256::from_i128(self)
    }
}

impl Wide for i256 {
    fn wide(self) -> i256 {
        self
    }
}

/// A whole number of 10 to the power of one negative scale, at another scale.
pub(super) fn rescaled<N: ArrowNativeTypeOp + ArrowNativeType>(value: N, from: i8, to: i8) -> Made<N> {
    let shift = i32::from(to) - i32::from(from);
    if shift == 0 || value.is_zero() {
        return Ok(value);
    }
    let factor = N::usize_as(10).pow_checked(shift.unsigned_abs());
    if shift > 0 {
        return factor.and_then(|factor| value.mul_checked(factor)).map_err(|_| Miss::Beyond);
    }
    // What is not a multiple of a number that is too large has digits that are lost.
    let factor = factor.map_err(|_| Miss::Between)?;
    if value.mod_wrapping(factor).is_zero() { Ok(value.div_wrapping(factor)) } else { Err(Miss::Between) }
}
