//! Which written location does a user mean?
//!
//! In: what a user typed: a path, a `file:` URI or the location of an object. Out: a written location.
//!
//! Invariant: the result, read as a written location, names the file that the user named, and so does the result given
//! again.

use std::borrow::Cow;

use floeberg_core::error::without_passwords;
use floeberg_core::{Error, Result};

use super::Location;

/// See [`Location::from_user`].
pub(super) fn written_form(given: &str) -> Result<String> {
    if given.is_empty() {
        return Err(Error::invalid_input("expected a location, found an empty string"));
    }
    let location = Location::parse(given);
    if !location.is_local() {
        // Those of HTTP are sent to the server; no store of objects takes any.
        let may_hold_password = matches!(location.scheme(), "http" | "https");
        if !may_hold_password && matches!(without_passwords(given), Cow::Owned(_)) {
            let message = "expected a location without user and password: pass them as options, such as \
                           `s3.access-key-id` and `s3.secret-access-key`";
            return Err(Error::invalid_input(message).with("path", given));
        }
        return Ok(given.to_owned());
    }
    let written = if location.key().len() == given.len() {
        absolute(given)?
    } else {
        let prefix = &given[..given.len() - location.key().len()];
        let decoded = percent_decode(location.key())?;
        let is_stable = percent_decode(&decoded).is_ok_and(|again| again == decoded);
        // As a plain path it is not decoded where it is given a second time.
        if is_stable || !location.authority().is_empty() { format!("{prefix}{decoded}") } else { decoded }
    };
    if written.contains('\0') {
        return Err(Error::invalid_input("expected a path without NUL").with("path", given.escape_debug()));
    }
    Ok(written)
}

/// Relative paths are made absolute, absolute ones stay.
fn absolute(path: &str) -> Result<String> {
    if std::path::Path::new(path).is_absolute() {
        return Ok(path.to_owned());
    }
    let absolute = std::path::absolute(path).map_err(|error| {
        let message = format!("the path cannot be made absolute: {error}");
        Error::invalid_input(message).with("path", path.escape_debug())
    })?;
    absolute.into_os_string().into_string().map_err(|absolute| {
        let message = "the working directory has a name that is not UTF-8";
        Error::invalid_input(message).with("path", absolute.display())
    })
}

/// Decodes `%XX`. A `%` that two hexadecimal digits do not follow stays, as in a URI that was never encoded.
fn percent_decode(path: &str) -> Result<String> {
    let bytes = path.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut position = 0;
    while let Some(&byte) = bytes.get(position) {
        let digits = (byte == b'%').then(|| bytes.get(position + 1..position + 3)).flatten();
        if let Some(value) = digits.and_then(hexadecimal) {
            decoded.push(value);
            position += 3;
        } else {
            decoded.push(byte);
            position += 1;
        }
    }
    String::from_utf8(decoded).map_err(|_| {
        let message = "expected a `file:` URI whose percent-encoding is UTF-8";
        Error::invalid_input(message).with("path", path)
    })
}

fn hexadecimal(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let &[high, low] = digits else { return None };
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}
