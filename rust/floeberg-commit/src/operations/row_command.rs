//! Which command changes rows by a delta?
//!
//! In: a word. Out: the properties of the table that say how the command changes rows, and what conflicts with it.
//! Spec: Iceberg documentation, Configuration (`write.*.mode`, `write.*.isolation-level`).

use floeberg_core::{Error, Result};
use floeberg_properties::{
    DELETE_ISOLATION, MERGE_ISOLATION, MERGE_MODE, UPDATE_ISOLATION, UPDATE_MODE, Words,
};

/// The command that a delta is of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RowCommand {
    /// Workers of an engine say what changes.
    #[default]
    Delta,
    /// Sets columns of rows that match a filter.
    Update,
    /// Updates rows by their keys, and inserts the others.
    Upsert,
    /// Joins a source to the table.
    Merge,
    /// Applies a feed of changes.
    ApplyChanges,
}

impl RowCommand {
    const ALL: [Self; 5] = [Self::Delta, Self::Update, Self::Upsert, Self::Merge, Self::ApplyChanges];

    /// The name of the operation.
    pub fn name(self) -> &'static str {
        match self {
            Self::Delta => "row delta",
            Self::Update => "update",
            Self::Upsert => "upsert",
            Self::Merge => "merge",
            Self::ApplyChanges => "apply_changes",
        }
    }

    /// The property of the mode; `None` is merge-on-read.
    pub(crate) fn mode(self) -> Option<Words> {
        match self {
            Self::Delta => None,
            Self::Update => Some(UPDATE_MODE),
            Self::Upsert | Self::Merge | Self::ApplyChanges => Some(MERGE_MODE),
        }
    }

    /// The property of the isolation level.
    pub(crate) fn isolation(self) -> Words {
        match self {
            Self::Delta => DELETE_ISOLATION,
            Self::Update => UPDATE_ISOLATION,
            Self::Upsert | Self::Merge | Self::ApplyChanges => MERGE_ISOLATION,
        }
    }
}

impl std::str::FromStr for RowCommand {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|command| command.name() == text);
        found.ok_or_else(|| Error::invalid_input(format!("no command that changes rows is called {text:?}")))
    }
}
