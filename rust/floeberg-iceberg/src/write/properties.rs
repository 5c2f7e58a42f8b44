//! What do a table's properties say of writing?
//!
//! In: properties and options as texts. Out: numbers and flags, with Iceberg Java's defaults.
//!
//! Invariant: a property that is not understood is an error that names it, not a default.

use std::collections::BTreeMap;
use std::str::FromStr;

use floeberg_core::{Error, Result};

use crate::properties::{self, unexpected};

/// The properties that writing follows: those that begin with `write.`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Properties(BTreeMap<String, String>);

/// The names that Spark's writers have for options, and the properties that they are for one write.
const OPTIONS: [(&str, &str); 6] = [
    ("target-file-size-bytes", "write.target-file-size-bytes"),
    ("compression-codec", "write.parquet.compression-codec"),
    ("compression-level", "write.parquet.compression-level"),
    ("write-format", "write.format.default"),
    ("shred-variants", "write.parquet.shred-variants"),
    ("variant-inference-buffer-size", "write.parquet.variant-inference-buffer-size"),
];

impl Properties {
    /// Those of a table, changed by the options of one write.
    ///
    /// Errors: `InvalidInput` for an option that writing does not have.
    pub fn new(table: &BTreeMap<String, String>, options: &BTreeMap<String, String>) -> Result<Self> {
        let of_table = table.iter().filter(|(name, _)| name.starts_with("write."));
        let mut properties: BTreeMap<_, _> =
            of_table.map(|(name, value)| (name.clone(), value.clone())).collect();
        for (name, value) in options {
            let known = OPTIONS.iter().find(|(option, _)| option == name).map(|(_, property)| *property);
            let property = known.or(Some(name.as_str()).filter(|name| name.starts_with("write.")));
            let property = property.ok_or_else(|| {
                let known = OPTIONS.map(|(option, _)| option).join(", ");
                Error::invalid_input(format!(
                    "writing has no option {name:?}; it has {known} and properties that begin with \"write.\""
                ))
            })?;
            properties.insert(property.to_owned(), value.clone());
        }
        Ok(Self(properties))
    }

    /// Those that were sent.
    pub fn of_map(properties: BTreeMap<String, String>) -> Self {
        Self(properties)
    }

    /// All of them.
    pub fn as_map(&self) -> &BTreeMap<String, String> {
        &self.0
    }

    /// A text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// A number, or another thing that is written as a text. Errors: `InvalidInput`.
    pub fn parsed<T: FromStr>(&self, name: &str, expected: &str) -> Result<Option<T>> {
        properties::parsed(&self.0, name, expected)
    }

    /// A whole number of at least 1. Errors: `InvalidInput`.
    pub fn positive(&self, name: &str, default: u64) -> Result<u64> {
        let expected = "a whole number of at least 1";
        match self.parsed(name, expected)? {
            Some(0) => Err(unexpected(name, 0, expected)),
            number => Ok(number.unwrap_or(default)),
        }
    }

    /// `true` or `false`, in any case. Errors: `InvalidInput`.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool> {
        properties::flag(&self.0, name, default)
    }

    /// Properties of columns: the names that follow a prefix, and their values.
    pub fn of_columns<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let from = self.0.range(prefix.to_owned()..);
        from.map_while(move |(name, value)| Some((name.strip_prefix(prefix)?, value.as_str())))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use floeberg_core::ErrorKind;

    use super::Properties;

    fn properties(pairs: &[(&str, &str)], options: &[(&str, &str)]) -> floeberg_core::Result<Properties> {
        let owned = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        Properties::new(&owned(pairs), &owned(options))
    }

    #[test]
    fn options_change_properties_for_one_write() {
        let table = [("write.target-file-size-bytes", "1"), ("write.x", "a"), ("read.x", "b")];
        let options = [("target-file-size-bytes", "2"), ("write.y", "c")];
        let found = properties(&table, &options).unwrap();
        let expected = [("write.target-file-size-bytes", "2"), ("write.x", "a"), ("write.y", "c")];
        let found: Vec<_> =
            found.as_map().iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, expected);
        assert_eq!(properties(&[], &[("taget-file-size", "1")]).unwrap_err().kind(), ErrorKind::InvalidInput);
    }

    #[test]
    fn a_value_that_is_not_understood_is_an_error_that_names_its_property() {
        let found = properties(&[("write.n", "0"), ("write.f", "yes"), ("write.c.a.b", "1")], &[]).unwrap();
        for error in [found.positive("write.n", 1).unwrap_err(), found.flag("write.f", true).unwrap_err()] {
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
            assert!(error.to_string().contains("property: write."), "{error}");
        }
        assert_eq!(found.positive("write.none", 7).unwrap(), 7);
        assert_eq!(found.of_columns("write.c.").collect::<Vec<_>>(), [("a.b", "1")]);
    }
}
