//! How are rows deleted from files of which other rows stay?
//!
//! In: a property of the table, or a word of the user. Out: the mode.
//! Spec: Iceberg documentation, Configuration (`write.*.mode`).

use floeberg_core::{Error, Result};
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_properties::Words;

/// How rows are deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeleteMode {
    /// The other rows are written again, and the file is removed.
    CopyOnWrite,
    /// The file stays, and delete files say which of its rows are deleted.
    MergeOnRead,
}

impl DeleteMode {
    /// The mode that a table's property says.
    ///
    /// Errors: `InvalidInput` for another word.
    pub(crate) fn of(metadata: &TableMetadata, property: Words) -> Result<Self> {
        property.of(&metadata.properties)?.parse()
    }

    /// The mode, if a table of this format version can have it.
    ///
    /// Errors: `InvalidInput` for merge-on-read in v1.
    pub(crate) fn checked(self, metadata: &TableMetadata) -> Result<Self> {
        if self == Self::MergeOnRead && metadata.format_version < 2 {
            return Err(Error::invalid_input(
                "a table of format version 1 has no delete files: change rows by mode \"copy-on-write\", or upgrade the table",
            ));
        }
        Ok(self)
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::CopyOnWrite => "copy-on-write",
            Self::MergeOnRead => "merge-on-read",
        }
    }
}

impl std::str::FromStr for DeleteMode {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let modes = [Self::CopyOnWrite, Self::MergeOnRead];
        let found = modes.into_iter().find(|mode| mode.name().eq_ignore_ascii_case(text.trim()));
        found.ok_or_else(|| {
            Error::invalid_input(format!("expected the mode copy-on-write or merge-on-read, found {text:?}"))
        })
    }
}
