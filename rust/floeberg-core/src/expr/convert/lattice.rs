//! What is the place of a number among the whole numbers, or among the decimals of a scale?
//!
//! In: a number of any size and scale. Out: its place.
//!
//! Invariant: exact integer arithmetic; a number that does not fit into 128 bits is beyond every value.

use super::{Converted, expected};
use crate::error::{Error, Result};
use crate::expr::RawLiteral;
use crate::expr::number::parse_number;
use crate::value::Value;

/// A place among all multiples of a unit.
pub(super) enum Position {
    /// That multiple.
    At(i128),
    /// Between that multiple and the next.
    After(i128),
    /// Beyond what 128 bits hold.
    Above,
    /// Below what 128 bits hold.
    Below,
}

impl Position {
    /// The place of a number of small units among multiples of a larger one.
    pub(super) fn divided(number: i128, unit: i128) -> Self {
        let floor = number.div_euclid(unit);
        if number.rem_euclid(unit) == 0 { Self::At(floor) } else { Self::After(floor) }
    }

    /// The place among the values of a type that has the multiples from `least` to `most`.
    pub(super) fn among(self, least: i128, most: i128, make: impl Fn(i128) -> Value) -> Converted {
        match self {
            Self::Above => Converted::Above,
            Self::Below => Converted::Below,
            Self::At(number) if number > most => Converted::Above,
            Self::At(number) if number < least => Converted::Below,
            Self::At(number) => Converted::Exact(make(number)),
            Self::After(number) if number >= most => Converted::Above,
            Self::After(number) if number < least => Converted::Below,
            Self::After(number) => Converted::Between(make(number), make(number + 1)),
        }
    }
}

/// The place among ints.
pub(super) fn int(literal: &RawLiteral) -> Result<Converted> {
    let place = place(literal, 0)?;
    Ok(place.among(i128::from(i32::MIN), i128::from(i32::MAX), |number| Value::Int(number as i32)))
}

/// The place among longs.
pub(super) fn long(literal: &RawLiteral) -> Result<Converted> {
    let place = place(literal, 0)?;
    Ok(place.among(i128::from(i64::MIN), i128::from(i64::MAX), |number| Value::Long(number as i64)))
}

/// The place among decimals of a precision and scale.
pub(super) fn decimal(literal: &RawLiteral, precision: u8, scale: u8) -> Result<Converted> {
    let most = 10_i128.checked_pow(u32::from(precision)).map_or(i128::MAX, |limit| limit - 1);
    let place = place(literal, i32::from(scale))?;
    Ok(place.among(-most, most, |unscaled| Value::Decimal { unscaled, scale }))
}

/// The place among all numbers with that many digits after the point.
fn place(literal: &RawLiteral, scale: i32) -> Result<Position> {
    match literal {
        RawLiteral::Integer(number) => Ok(scaled(*number, 0, scale)),
        RawLiteral::Decimal { unscaled, scale: own } => Ok(scaled(*unscaled, *own, scale)),
        RawLiteral::Float(number) => float(*number, scale),
        RawLiteral::String(text) => place(&number_of(text)?, scale),
        RawLiteral::Typed(value) => match value {
            Value::Int(number) => Ok(scaled(i128::from(*number), 0, scale)),
            Value::Long(number) => Ok(scaled(i128::from(*number), 0, scale)),
            Value::Float(number) => float(f64::from(*number), scale),
            Value::Double(number) => float(*number, scale),
            Value::Decimal { unscaled, scale: own } => Ok(scaled(*unscaled, i32::from(*own), scale)),
            _ => Err(expected("a number")),
        },
        RawLiteral::Boolean(_) | RawLiteral::Binary(_) => Err(expected("a number")),
    }
}

/// A float stands for the shortest decimal that reads back as it: 0.1 is one tenth.
fn float(number: f64, scale: i32) -> Result<Position> {
    if number.is_nan() {
        return Err(nan());
    }
    if number.is_infinite() {
        return Ok(if number > 0.0 { Position::Above } else { Position::Below });
    }
    match parse_number(&format!("{number:e}")) {
        Some(RawLiteral::Integer(whole)) => Ok(scaled(whole, 0, scale)),
        Some(RawLiteral::Decimal { unscaled, scale: own }) => Ok(scaled(unscaled, own, scale)),
        _ => Err(Error::internal(format!("the float {number} has no decimal text"))),
    }
}

fn scaled(unscaled: i128, from: i32, to: i32) -> Position {
    let shift = i64::from(to) - i64::from(from);
    let factor = u32::try_from(shift.unsigned_abs()).ok().and_then(|shift| 10_i128.checked_pow(shift));
    if unscaled == 0 {
        return Position::At(0);
    }
    let beyond = if unscaled > 0 { Position::Above } else { Position::Below };
    match factor {
        Some(factor) if shift >= 0 => unscaled.checked_mul(factor).map_or(beyond, Position::At),
        Some(factor) => Position::divided(unscaled, factor),
        None if shift > 0 => beyond,
        None => Position::After(if unscaled > 0 { 0 } else { -1 }),
    }
}

/// The number that a text names: digits, `Infinity`, `-Infinity`, or the error of `NaN`.
pub(super) fn number_of(text: &str) -> Result<RawLiteral> {
    match text.trim() {
        "Infinity" | "+Infinity" => Ok(RawLiteral::Float(f64::INFINITY)),
        "-Infinity" => Ok(RawLiteral::Float(f64::NEG_INFINITY)),
        "NaN" => Err(nan()),
        other => parse_number(other).ok_or_else(|| expected("a number")),
    }
}

/// The error for NaN.
pub(super) fn nan() -> Error {
    Error::invalid_input("nothing equals NaN: use IS NAN or IS NOT NAN")
}
