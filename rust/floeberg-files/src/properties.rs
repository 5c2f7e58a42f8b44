//! Which properties of a table are for writing?
//!
//! In: properties as texts. Out: numbers and flags.
//!
//! Invariant: a property with an invalid value is an error that names it, not the default.

use std::collections::BTreeMap;

/// The properties for writing, which begin with `write.`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WriteProperties(BTreeMap<String, String>);

impl WriteProperties {
    /// These: all begin with `write.`.
    pub fn of_map(properties: BTreeMap<String, String>) -> Self {
        Self(properties)
    }

    /// All of them.
    pub fn as_map(&self) -> &BTreeMap<String, String> {
        &self.0
    }

    /// A string.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Properties of columns: the names that follow a prefix, and their values.
    pub fn of_columns<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let from = self.0.range(prefix.to_owned()..);
        from.map_while(move |(name, value)| Some((name.strip_prefix(prefix)?, value.as_str())))
    }
}
