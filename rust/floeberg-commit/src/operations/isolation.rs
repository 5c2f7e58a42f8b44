//! How far is an operation isolated from others?
//!
//! In: a property of the table, or a word of the user. Out: the level.
//! Spec: Iceberg documentation, Configuration (`write.*.isolation-level`).

use floeberg_core::{Error, Result};
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_properties::Words;

/// How far an operation is isolated from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IsolationLevel {
    /// As if operations ran one after the other, and each saw all before it.
    Serializable,
    /// Rows that others added meanwhile may be missed.
    Snapshot,
}

impl IsolationLevel {
    /// The level that a table's property says.
    ///
    /// Errors: `InvalidInput` for another word.
    pub(crate) fn of(metadata: &TableMetadata, property: Words) -> Result<Self> {
        property.of(&metadata.properties)?.parse()
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Serializable => "serializable",
            Self::Snapshot => "snapshot",
        }
    }
}

impl std::str::FromStr for IsolationLevel {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let levels = [Self::Serializable, Self::Snapshot];
        let found = levels.into_iter().find(|level| level.name().eq_ignore_ascii_case(text.trim()));
        found.ok_or_else(|| {
            Error::invalid_input(format!(
                "expected the isolation level serializable or snapshot, found {text:?}"
            ))
        })
    }
}
