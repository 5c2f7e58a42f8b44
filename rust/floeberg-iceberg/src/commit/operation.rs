//! What is to be done to a table?
//!
//! A description that stands on no base, so that it can be tried on any: [`Commit`](super::Commit) does.

use std::collections::BTreeMap;

use floeberg_core::expr::Expr;
use serde_json::Value as Json;

use super::IsolationLevel;
use crate::metadata::{DeclaredTable, SnapshotRef};
use crate::write::Receipt;

/// An operation on a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// Adds files.
    Append {
        /// The files.
        receipt: Receipt,
        /// Are manifests merged? `None` is what the table's `commit.manifest-merge.enabled` says. Without, it is a fast
        /// append.
        merge: Option<bool>,
    },
    /// Removes the files whose rows match, and adds files.
    Overwrite {
        /// The files that come.
        receipt: Receipt,
        /// The rows that go: whole files of them.
        filter: Expr,
        /// Are names of columns found with regard to case?
        case_sensitive: bool,
        /// `None` is what the table's `write.update.isolation-level` says.
        isolation: Option<IsolationLevel>,
    },
    /// Removes the files whose rows match.
    Delete {
        /// The rows that go: whole files of them.
        filter: Expr,
        /// Are names of columns found with regard to case?
        case_sensitive: bool,
        /// `None` is what the table's `write.delete.isolation-level` says.
        isolation: Option<IsolationLevel>,
    },
    /// Adds files, and removes all others of their partitions; without partitions all others.
    DynamicOverwrite {
        /// The files that come.
        receipt: Receipt,
        /// `None` is what the table's `write.update.isolation-level` says.
        isolation: Option<IsolationLevel>,
    },
    /// Makes the table.
    CreateTable(Box<NewTable>),
    /// Sets properties of the table.
    SetProperties(BTreeMap<String, String>),
    /// Removes properties of the table.
    RemoveProperties(Vec<String>),
    /// Changes columns, in the JSON of [`floeberg_core::schema::evolve::SchemaChanges`].
    UpdateSchema(Json),
    /// Raises the format version.
    UpgradeFormatVersion(u8),
    /// Makes a branch or a tag, or moves it.
    SetRef(String, SnapshotRef),
    /// Removes a branch or a tag.
    RemoveRef(String),
}

/// A table that is not there yet.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTable {
    /// Its columns, and how it is partitioned and sorted.
    pub declared: DeclaredTable,
    /// Where it is.
    pub location: String,
    /// Its properties.
    pub properties: BTreeMap<String, String>,
    /// 1, 2 or 3.
    pub format_version: u8,
}

impl Operation {
    /// Does it add files that were written for the table?
    pub fn adds_files(&self) -> bool {
        matches!(self, Self::Append { .. } | Self::Overwrite { .. } | Self::DynamicOverwrite { .. })
    }

    /// Does it change rows, so that it writes manifests and a snapshot that lists them?
    pub fn changes_rows(&self) -> bool {
        self.adds_files() || matches!(self, Self::Delete { .. })
    }

    /// Its name, for messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Append { .. } => "append",
            Self::Overwrite { .. } => "overwrite",
            Self::Delete { .. } => "delete",
            Self::DynamicOverwrite { .. } => "dynamic overwrite",
            Self::CreateTable(_) => "create table",
            Self::SetProperties(_) => "set properties",
            Self::RemoveProperties(_) => "remove properties",
            Self::UpdateSchema(_) => "update schema",
            Self::UpgradeFormatVersion(_) => "upgrade format version",
            Self::SetRef(..) => "set ref",
            Self::RemoveRef(_) => "remove ref",
        }
    }
}
