//! How is a bound made shorter?
//!
//! In: a value that is a bound, and a length. Out: a bound of at most that length, if there is one.
//! Spec: Data File Fields, notes on `lower_bounds` and `upper_bounds`.
//!
//! Invariant: a shorter lower bound is not above the original, and a shorter upper bound not below it. Strings are cut between
//! code points and stay valid.

use floeberg_core::transform::truncate::{truncate_binary, truncate_string};
use floeberg_core::value::Value;

/// A lower bound of at most this many code points, or bytes. Values of other types stay unchanged. So do values of a fixed length,
/// because a shorter one would not be of the column's type.
pub fn shorter_lower(value: Value, length: u32) -> Value {
    match value {
        Value::String(text) => Value::String(truncate_string(&text, length).to_owned()),
        Value::Binary(bytes) => Value::Binary(truncate_binary(&bytes, length).to_vec()),
        other => other,
    }
}

/// An upper bound of at most this many code points, or bytes; `None` if none exists.
pub fn shorter_upper(value: Value, length: u32) -> Option<Value> {
    Some(match value {
        Value::String(text) => Value::String(upper_text(text, length)?),
        Value::Binary(bytes) => Value::Binary(upper_bytes(bytes, length)?),
        other => other,
    })
}

/// A bound whose zero has a sign: that of a lower bound is -0.0, that of an upper one 0.0, so that both bound both zeros.
pub fn signed_zero(value: Value, sign: f32) -> Value {
    match value {
        Value::Float(0.0) => Value::Float(0.0_f32.copysign(sign)),
        Value::Double(0.0) => Value::Double(0.0_f64.copysign(sign.into())),
        other => other,
    }
}

fn upper_text(text: String, length: u32) -> Option<String> {
    let kept = truncate_string(&text, length);
    if kept.len() == text.len() {
        return Some(text);
    }
    let mut upper = kept.to_owned();
    while let Some(last) = upper.pop() {
        if let Some(next) = after(last) {
            upper.push(next);
            return Some(upper);
        }
    }
    None
}

/// The next code point that is allowed in a string, so no surrogate.
fn after(character: char) -> Option<char> {
    match character {
        '\u{d7ff}' => Some('\u{e000}'),
        other => char::from_u32(u32::from(other) + 1),
    }
}

fn upper_bytes(bytes: Vec<u8>, length: u32) -> Option<Vec<u8>> {
    let kept = truncate_binary(&bytes, length);
    if kept.len() == bytes.len() {
        return Some(bytes);
    }
    let mut upper = kept.to_vec();
    while let Some(last) = upper.pop() {
        if let Some(next) = last.checked_add(1) {
            upper.push(next);
            return Some(upper);
        }
    }
    None
}
