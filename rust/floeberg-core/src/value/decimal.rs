//! Which unscaled value and scale does the string of a decimal have?
//!
//! Spec: Appendix D, JSON single-value serialization (an exponent stands for a negative scale).

use crate::error::{Error, Result, beginning};

/// The most digits of a decimal.
pub const MAX_PRECISION: u8 = 38;

/// The unscaled value and scale of `-14.20` (-1420, 2) or `2E+20` (2, -20).
///
/// Errors: `InvalidInput` for other text and for more than 38 digits.
pub fn parse_decimal(text: &str) -> Result<(i128, i32)> {
    parse(text).ok_or_else(|| {
        let shown = beginning(text);
        Error::invalid_input(format!(
            "expected a decimal of at most {MAX_PRECISION} digits like -14.20, found {shown:?}"
        ))
    })
}

fn parse(text: &str) -> Option<(i128, i32)> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i16>().ok()?),
        None => (text, 0),
    };
    let (negative, digits) = match mantissa.as_bytes().first()? {
        b'-' => (true, &mantissa[1..]),
        b'+' => (false, &mantissa[1..]),
        _ => (false, mantissa),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.len() > 1_000 {
        return None;
    }
    let mut unscaled: i128 = 0;
    for digit in whole.bytes().chain(fraction.bytes()) {
        if !digit.is_ascii_digit() {
            return None;
        }
        unscaled = unscaled.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    if !fits(unscaled, MAX_PRECISION) {
        return None;
    }
    let scale = fraction.len() as i32 - i32::from(exponent);
    Some((if negative { -unscaled } else { unscaled }, scale))
}

/// The decimal text of an unscaled value: all digits of the scale, no exponent.
pub fn format_decimal(unscaled: i128, scale: u8) -> String {
    let sign = if unscaled < 0 { "-" } else { "" };
    let scale = usize::from(scale);
    let digits = format!("{:0width$}", unscaled.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    if scale == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

/// The unscaled value at another scale; `None` where digits would be lost or 38 digits are too few.
pub fn rescale(unscaled: i128, from: i32, to: u8) -> Option<i128> {
    if unscaled == 0 {
        return Some(0);
    }
    let shift = i32::from(to).checked_sub(from)?;
    let factor = 10_i128.checked_pow(shift.unsigned_abs())?;
    let rescaled = if shift >= 0 {
        unscaled.checked_mul(factor)?
    } else if unscaled % factor == 0 {
        unscaled / factor
    } else {
        return None;
    };
    fits(rescaled, MAX_PRECISION).then_some(rescaled)
}

/// Has an unscaled value at most this many digits?
pub fn fits(unscaled: i128, precision: u8) -> bool {
    10_u128.checked_pow(u32::from(precision)).is_none_or(|limit| unscaled.unsigned_abs() < limit)
}
