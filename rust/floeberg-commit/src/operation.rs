//! What is to be done to a table?
//!
//! A description without a base. [`Commit`](super::Commit) applies it to any base.

use std::collections::BTreeMap;

use floeberg_core::expr::Expr;
use floeberg_iceberg::metadata::{DeclaredTable, SnapshotRef};
use floeberg_iceberg::write::Receipt;
use serde_json::Value as Json;

use super::delete_mode::DeleteMode;
use super::isolation::IsolationLevel;
use super::row_delta::RowDelta;

/// An operation on a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// Adds files.
    Append {
        /// The files.
        receipt: Receipt,
        /// Are manifests merged? `None` follows the table's `commit.manifest-merge.enabled`. Without merging it is a fast
        /// append.
        merge: Option<bool>,
    },
    /// Removes the rows that match, and adds files, in one snapshot.
    Overwrite {
        /// The files that come.
        receipt: Receipt,
        /// The rows to remove.
        filter: Expr,
        /// Are column names case-sensitive?
        case_sensitive: bool,
        /// `None` follows the table's `write.update.isolation-level`.
        isolation: Option<IsolationLevel>,
        /// How rows go of files of which others stay. `None` follows the table's `write.delete.mode`.
        mode: Option<DeleteMode>,
    },
    /// Removes the rows that match.
    Delete {
        /// The rows to remove.
        filter: Expr,
        /// Are column names case-sensitive?
        case_sensitive: bool,
        /// `None` follows the table's `write.delete.isolation-level`.
        isolation: Option<IsolationLevel>,
        /// How row-level deletes are written. `None` follows the table's `write.delete.mode`.
        mode: Option<DeleteMode>,
    },
    /// Adds files, and removes all other files of their partitions; in an unpartitioned table, all other files.
    DynamicOverwrite {
        /// The files that come.
        receipt: Receipt,
        /// `None` follows the table's `write.update.isolation-level`.
        isolation: Option<IsolationLevel>,
    },
    /// Adds and removes data files and delete files that are written already.
    RowDelta(Box<RowDelta>),
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

/// A table to create.
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
        match self {
            Self::Append { .. } | Self::Overwrite { .. } | Self::DynamicOverwrite { .. } => true,
            Self::RowDelta(delta) => !delta.added.files().is_empty(),
            _ => false,
        }
    }

    /// Does it change rows, so that it writes manifests and a snapshot that lists them?
    pub fn changes_rows(&self) -> bool {
        self.adds_files() || matches!(self, Self::Delete { .. } | Self::RowDelta(_))
    }

    /// Its name, for messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Append { .. } => "append",
            Self::Overwrite { .. } => "overwrite",
            Self::Delete { .. } => "delete",
            Self::DynamicOverwrite { .. } => "dynamic overwrite",
            Self::RowDelta(_) => "row delta",
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
