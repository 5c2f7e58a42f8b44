//! How are bytes and uuids written as text?
//!
//! Spec: Appendix D, JSON single-value serialization.

use std::fmt::Write as _;

use crate::error::{Error, Result, beginning};

/// Lower-case hexadecimal digits.
pub fn format_hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a String never fails.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The bytes of hexadecimal digits in either case. Errors: `InvalidInput`.
pub fn parse_hex(text: &str) -> Result<Vec<u8>> {
    let wrong = || {
        let shown = beginning(text);
        Error::invalid_input(format!("expected pairs of hexadecimal digits, found {shown:?}"))
    };
    if !text.len().is_multiple_of(2) {
        return Err(wrong());
    }
    text.as_bytes()
        .chunks_exact(2)
        .map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?))
        .collect::<Option<_>>()
        .ok_or_else(wrong)
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|value| value as u8)
}

/// `f79c3e09-677c-4bbd-a479-3f349cb785e7`
pub fn format_uuid(bytes: &[u8; 16]) -> String {
    let hex = format_hex(bytes);
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// The bytes of a uuid in either case, with its hyphens. Errors: `InvalidInput`.
pub fn parse_uuid(text: &str) -> Result<[u8; 16]> {
    let bytes = text.as_bytes();
    let shaped = bytes.len() == 36 && [8, 13, 18, 23].iter().all(|position| bytes[*position] == b'-');
    let parsed = shaped.then(|| parse_hex(&text.replace('-', "")).ok()).flatten();
    parsed.and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| {
        let shown = beginning(text);
        Error::invalid_input(format!(
            "expected a uuid like f79c3e09-677c-4bbd-a479-3f349cb785e7, found {shown:?}"
        ))
    })
}
