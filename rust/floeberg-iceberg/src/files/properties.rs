//! What do a table's properties say of writing?
//!
//! In: properties as texts. Out: numbers and flags.
//!
//! Invariant: a property that is not understood is an error that names it, not a default.

use std::collections::BTreeMap;
use std::str::FromStr;

use floeberg_core::Result;

use crate::metadata::property::{self, unexpected};

/// The properties that writing follows: those that begin with `write.`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WriteProperties(BTreeMap<String, String>);

impl WriteProperties {
    /// These: all begin with `write.`.
    pub(crate) fn of_map(properties: BTreeMap<String, String>) -> Self {
        Self(properties)
    }

    /// All of them.
    pub(crate) fn as_map(&self) -> &BTreeMap<String, String> {
        &self.0
    }

    /// A text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// A number, or another thing that is written as a text. Errors: `InvalidInput`.
    pub(crate) fn parsed<T: FromStr>(&self, name: &str, expected: &str) -> Result<Option<T>> {
        property::parsed(&self.0, name, expected)
    }

    /// A whole number of at least 1. Errors: `InvalidInput`.
    pub(crate) fn positive(&self, name: &str, default: u64) -> Result<u64> {
        let expected = "a whole number of at least 1";
        match self.parsed(name, expected)? {
            Some(0) => Err(unexpected(name, 0, expected)),
            number => Ok(number.unwrap_or(default)),
        }
    }

    /// `true` or `false`, in any case. Errors: `InvalidInput`.
    pub(crate) fn flag(&self, name: &str, default: bool) -> Result<bool> {
        property::flag(&self.0, name, default)
    }

    /// Properties of columns: the names that follow a prefix, and their values.
    pub(crate) fn of_columns<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let from = self.0.range(prefix.to_owned()..);
        from.map_while(move |(name, value)| Some((name.strip_prefix(prefix)?, value.as_str())))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use floeberg_core::ErrorKind;

    use super::WriteProperties;

    #[test]
    fn a_value_that_is_not_understood_is_an_error_that_names_its_property() {
        let pairs = [("write.n", "0"), ("write.f", "yes"), ("write.c.a.b", "1")];
        let found = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let found = WriteProperties::of_map(found.into());
        for error in [found.positive("write.n", 1).unwrap_err(), found.flag("write.f", true).unwrap_err()] {
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
            assert!(error.to_string().contains("property: write."), "{error}");
        }
        assert_eq!(found.positive("write.none", 7).unwrap(), 7);
        assert_eq!(found.of_columns("write.c.").collect::<Vec<_>>(), [("a.b", "1")]);
    }
}
