//! How is a property of a table read?
//!
//! In: properties, as texts. Out: numbers and flags.
//! Spec: Iceberg documentation, Configuration (table properties).
//!
//! Invariant: a value that is not understood is an error that names the property, never the default.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use floeberg_core::{Error, Result};

/// A number, or another thing that is written as a text; `None` where it is not set. Errors: `InvalidInput`.
pub(crate) fn parsed<T: FromStr>(
    properties: &BTreeMap<String, String>,
    name: &str,
    expected: &str,
) -> Result<Option<T>> {
    let Some(text) = properties.get(name) else { return Ok(None) };
    text.trim().parse().map(Some).map_err(|_| unexpected(name, text, expected))
}

/// `true` or `false`, in any case. Errors: `InvalidInput`.
pub(crate) fn flag(properties: &BTreeMap<String, String>, name: &str, default: bool) -> Result<bool> {
    match properties.get(name).map(|text| text.trim().to_ascii_lowercase()).as_deref() {
        None => Ok(default),
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        Some(other) => Err(unexpected(name, other, "true or false")),
    }
}

/// The error of a property that has another value than it can have.
pub(crate) fn unexpected(name: &str, found: impl Display, expected: &str) -> Error {
    Error::invalid_input(format!("expected {expected}, found {:?}", found.to_string())).with("property", name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeMap;

    use super::{flag, parsed};

    #[test]
    fn values_are_read_as_what_they_are_to_be() {
        let pairs = [("n", " 12 "), ("yes", "TRUE"), ("no", "false"), ("other", "1,5")];
        let properties: BTreeMap<_, _> =
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        assert_eq!(parsed::<u8>(&properties, "n", "a number").unwrap(), Some(12));
        assert_eq!(parsed::<u8>(&properties, "none", "a number").unwrap(), None);
        assert!(flag(&properties, "yes", false).unwrap() && !flag(&properties, "no", true).unwrap());
        assert!(flag(&properties, "none", true).unwrap() && !flag(&properties, "none", false).unwrap());
        for error in [
            parsed::<u8>(&properties, "other", "a whole number").unwrap_err(),
            flag(&properties, "other", true).unwrap_err(),
        ] {
            assert_eq!(error.context(), [("property", "other".to_owned())]);
            assert!(error.message().ends_with("found \"1,5\""), "{error}");
        }
    }
}
