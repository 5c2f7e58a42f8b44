//! How is a number read without losing a digit?
//!
//! In: decimal text. Out: a whole number, or a decimal with all written digits.

use crate::expr::RawLiteral;
use crate::value::decimal::parse_decimal;

/// Reads `-12`, `1.50`, `.5`, `2e-3`; `None` where the text is not a number.
///
/// Whole numbers become `Integer`, others `Decimal` with every digit (`1.50` has scale 2, `2e3` scale -3). What needs
/// more than 38 digits becomes the nearest `Float`.
pub(in crate::expr) fn parse_number(text: &str) -> Option<RawLiteral> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    if unsigned.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(whole) = text.parse()
    {
        return Some(RawLiteral::Integer(whole));
    }
    match parse_decimal(text) {
        Ok((unscaled, scale)) => Some(RawLiteral::Decimal { unscaled, scale }),
        Err(_) => text.parse().ok().map(RawLiteral::Float),
    }
}
