//! Which float does a literal mean?
//!
//! Invariant: a finite number beyond the largest float stays finite: it is between that float and infinity.

use super::lattice::{nan, number_of};
use super::{Converted, expected};
use crate::error::Result;
use crate::expr::RawLiteral;
use crate::value::Value;

/// The nearest double.
pub(super) fn double(literal: &RawLiteral) -> Result<Converted> {
    let number = nearest(literal)?;
    let beyond = match number {
        Nearest::Rounded(number) if number == f64::INFINITY => {
            Converted::Between(Value::Double(f64::MAX), Value::Double(f64::INFINITY))
        }
        Nearest::Rounded(number) if number == f64::NEG_INFINITY => {
            Converted::Between(Value::Double(f64::NEG_INFINITY), Value::Double(f64::MIN))
        }
        Nearest::Rounded(number) | Nearest::Written(number) => Converted::Exact(Value::Double(number)),
    };
    Ok(beyond)
}

/// The nearest float.
pub(super) fn float(literal: &RawLiteral) -> Result<Converted> {
    let number = match nearest(literal)? {
        Nearest::Written(number) if number.is_infinite() => {
            return Ok(Converted::Exact(Value::Float(number as f32)));
        }
        Nearest::Written(number) | Nearest::Rounded(number) => number as f32,
    };
    Ok(if number == f32::INFINITY {
        Converted::Between(Value::Float(f32::MAX), Value::Float(f32::INFINITY))
    } else if number == f32::NEG_INFINITY {
        Converted::Between(Value::Float(f32::NEG_INFINITY), Value::Float(f32::MIN))
    } else {
        Converted::Exact(Value::Float(number))
    })
}

enum Nearest {
    /// A double that was written as one; infinity means infinity.
    Written(f64),
    /// A number with its digits, rounded; infinity means too large.
    Rounded(f64),
}

fn nearest(literal: &RawLiteral) -> Result<Nearest> {
    let found = match literal {
        RawLiteral::Integer(number) => Nearest::Rounded(*number as f64),
        RawLiteral::Decimal { unscaled, scale } => decimal(*unscaled, *scale)?,
        RawLiteral::Float(number) => Nearest::Written(*number),
        RawLiteral::String(text) => return nearest(&number_of(text)?),
        RawLiteral::Typed(value) => match value {
            Value::Int(number) => Nearest::Written(f64::from(*number)),
            Value::Long(number) => Nearest::Written(*number as f64),
            Value::Float(number) => Nearest::Written(f64::from(*number)),
            Value::Double(number) => Nearest::Written(*number),
            Value::Decimal { unscaled, scale } => decimal(*unscaled, i32::from(*scale))?,
            _ => return Err(expected("a number")),
        },
        RawLiteral::Boolean(_) | RawLiteral::Binary(_) => return Err(expected("a number")),
    };
    match found {
        Nearest::Written(number) | Nearest::Rounded(number) if number.is_nan() => Err(nan()),
        found => Ok(found),
    }
}

/// Rounded once, from all digits: `unscaled / 10^scale` would round twice.
fn decimal(unscaled: i128, scale: i32) -> Result<Nearest> {
    let text = format!("{unscaled}e{}", -i64::from(scale));
    text.parse().map(Nearest::Rounded).map_err(|_| expected("a number"))
}
