//! What is to be done to a table?
//!
//! A description without a base. [`Commit`](crate::Commit) applies it to any base.

use std::collections::BTreeMap;

use floeberg_core::expr::Expr;
use floeberg_iceberg::metadata::DeclaredTable;
use floeberg_iceberg::write::Receipt;
use serde_json::Value as Json;

use super::delete_mode::DeleteMode;
use super::delete_rewrite::DeleteRewrite;
use super::expiry::Expiry;
use super::isolation::IsolationLevel;
use super::manifest_rewrite::ManifestRewrite;
use super::rebuild::Rebuild;
use super::repair::Repair;
use super::rewrite::Rewrite;
use super::row_delta::RowDelta;
use super::statistics_change::StatisticsChange;
use crate::refs::RefChange;

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
    /// Adds files of other writers.
    AddFiles {
        /// The files.
        receipt: Receipt,
        /// The name mapping that their columns were found by, as the JSON of the table property; `None` if all have field ids.
        name_mapping: Option<String>,
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
        /// How rows are deleted from files that keep other rows. `None` follows the table's `write.delete.mode`.
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
        /// Does it find its rows again on a newer base? If not, rows that others added since are a conflict.
        finds_again: bool,
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
    /// Makes another table of the same name, uuid and history: with other columns, and without rows.
    ReplaceTable(Box<NewTable>),
    /// Sets properties of the table.
    SetProperties(BTreeMap<String, String>),
    /// Removes properties of the table.
    RemoveProperties(Vec<String>),
    /// Changes columns, in the JSON of [`floeberg_core::schema::evolve::SchemaChanges`].
    UpdateSchema(Json),
    /// Raises the format version.
    UpgradeFormatVersion(u8),
    /// Changes the partition fields, in the JSON of [`floeberg_iceberg::metadata::SpecChanges`].
    UpdateSpec(Json),
    /// Sorts new data by other fields, in the JSON of [`SortOrderChange`](crate::SortOrderChange).
    ReplaceSortOrder(Json),
    /// Sets the location of new files. Existing files stay where they are.
    SetLocation(String),
    /// Changes the statistics files of a snapshot.
    SetStatistics(StatisticsChange),
    /// Writes the rows of data files again.
    RewriteDataFiles(Rewrite),
    /// Writes delete files again, or removes them.
    RewriteDeletes(DeleteRewrite),
    /// Writes manifests again.
    RewriteManifests(ManifestRewrite),
    /// Expires snapshots, and branches and tags that are old.
    ExpireSnapshots(Expiry),
    /// Changes branches and tags.
    ChangeRef(RefChange),
    /// Mends what a check found.
    Repair(Box<Repair>),
    /// Makes the table of what is left of another one.
    Rebuild(Box<Rebuild>),
    /// Applies the changes of another branch's snapshot, or of a staged one.
    Cherrypick(i64),
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
    /// Its uuid, where files are written for it before it is made; by default, a random one.
    pub uuid: Option<String>,
}

impl Operation {
    /// Does it add files that were written for the table?
    pub fn adds_files(&self) -> bool {
        match self {
            Self::Append { .. }
            | Self::AddFiles { .. }
            | Self::Overwrite { .. }
            | Self::DynamicOverwrite { .. } => true,
            Self::RowDelta(delta) => !delta.added.files().is_empty(),
            _ => false,
        }
    }

    /// Does it change rows, so that it writes manifests and a snapshot that lists them?
    pub fn changes_rows(&self) -> bool {
        if let Self::Repair(repair) = self {
            return repair.changes_files();
        }
        self.adds_files()
            || matches!(
                self,
                Self::Delete { .. }
                    | Self::RowDelta(_)
                    | Self::RewriteDataFiles(_)
                    | Self::RewriteDeletes(_)
                    | Self::RewriteManifests(_)
                    | Self::Rebuild(_)
                    | Self::Cherrypick(_)
            )
    }

    /// Its name, for messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Append { .. } => "append",
            Self::AddFiles { .. } => "add files",
            Self::Overwrite { .. } => "overwrite",
            Self::Delete { .. } => "delete",
            Self::DynamicOverwrite { .. } => "dynamic overwrite",
            Self::RowDelta(delta) => delta.command.name(),
            Self::CreateTable(_) => "create table",
            Self::ReplaceTable(_) => "replace table",
            Self::SetProperties(_) => "set properties",
            Self::RemoveProperties(_) => "remove properties",
            Self::UpdateSchema(_) => "update schema",
            Self::UpgradeFormatVersion(_) => "upgrade format version",
            Self::UpdateSpec(_) => "update spec",
            Self::ReplaceSortOrder(_) => "replace sort order",
            Self::SetLocation(_) => "set location",
            Self::SetStatistics(_) => "set statistics",
            Self::RewriteDataFiles(_) => "rewrite data files",
            Self::RewriteDeletes(rewrite) => rewrite.name(),
            Self::RewriteManifests(_) => "rewrite manifests",
            Self::ExpireSnapshots(_) => "expire snapshots",
            Self::ChangeRef(_) => "change ref",
            Self::Cherrypick(_) => "cherrypick",
            Self::Repair(_) => "repair",
            Self::Rebuild(_) => "rebuild",
        }
    }
}
