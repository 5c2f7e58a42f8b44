//! Which decimal stands for a float, and which float for a decimal?
//!
//! Invariant: a decimal becomes the float that is nearest to it, and only if that float is nearest to no other decimal of its
//! scale; a float becomes a decimal whose nearest float it is.

use arrow_buffer::i256;

use super::whole::{Miss, rescaled};

/// 10 to the powers that are floats of 64 bits.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];
/// The most digits of decimals that floats of 64 bits tell apart.
const DIGITS: f64 = 1e15;

/// The decimal of a scale that a float stands for: a whole number of its last digit. `short` is a float of 32 bits.
pub(super) fn to_decimal(value: f64, scale: i8, short: bool) -> Result<i256, Miss> {
    if !value.is_finite() {
        return Err(Miss::Beyond);
    }
    if let Some(power) = power(scale).filter(|_| !short) {
        let near = (value * power).round();
        if near.abs() < DIGITS && near / power == value {
            return Ok(i256::from_i128(near as i128));
        }
    }
    let unscaled = nearest_decimal(value, scale)?;
    if nearest(unscaled, scale, if short { 32 } else { 64 }) == value {
        Ok(unscaled)
    } else {
        Err(Miss::Between)
    }
}

/// The float of so many bits that a decimal becomes.
pub(super) fn from_decimal(unscaled: i256, scale: i8, bits: u32) -> Result<f64, Miss> {
    if let (64, Some(power), Some(small)) = (bits, power(scale), unscaled.to_i128()) {
        let small = small as f64;
        if small.abs() < DIGITS {
            return Ok(small / power);
        }
    }
    let value = nearest(unscaled, scale, bits);
    let is_same = value.is_finite() && nearest_decimal(value, scale).is_ok_and(|back| back == unscaled);
    if is_same { Ok(value) } else { Err(Miss::Between) }
}

fn power(scale: i8) -> Option<f64> {
    usize::try_from(scale).ok().and_then(|scale| POWERS.get(scale).copied())
}

/// The float that is nearest to a decimal.
fn nearest(unscaled: i256, scale: i8, bits: u32) -> f64 {
    let text = format!("{unscaled}e{}", -i16::from(scale));
    match bits {
        64 => text.parse().unwrap_or(f64::NAN),
        32 => text.parse::<f32>().map_or(f64::NAN, f64::from),
        _ => text.parse::<f64>().map_or(f64::NAN, to_half),
    }
}

/// The float of 16 bits that is nearest.
fn to_half(value: f64) -> f64 {
    const LARGEST: f64 = 65520.0;
    const SMALLEST_STEP: f64 = 5.960_464_477_539_063e-8;
    if value.abs() >= LARGEST {
        return f64::INFINITY;
    }
    // Eleven bits, or whole steps of the least number.
    let exponent = value.abs().log2().floor().max(-14.0);
    let step = (2.0_f64.powf(exponent - 10.0)).max(SMALLEST_STEP);
    (value / step).round_ties_even() * step
}

/// The decimal of a scale that is nearest to a float, exactly.
fn nearest_decimal(value: f64, scale: i8) -> Result<i256, Miss> {
    // Text is exact, however many digits it has.
    let digits = usize::try_from(scale).unwrap_or(0);
    let text = format!("{value:.digits$}").replace('.', "");
    let unscaled = i256::from_string(&text).ok_or(Miss::Beyond)?;
    if scale >= 0 {
        return Ok(unscaled);
    }
    match rescaled(unscaled, 0, scale) {
        Ok(made) => Ok(made),
        Err(_) => Err(Miss::Between),
    }
}
