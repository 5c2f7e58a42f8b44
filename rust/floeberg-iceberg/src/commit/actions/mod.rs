//! Each operation, as changes of a base: a file an operation.
//!
//! Invariant: an action can be tried on any base, any number of times.

mod append;
mod dynamic_overwrite;
mod overwrite;
mod properties;
mod create_table;
mod references;
mod update_schema;
mod upgrade;

use floeberg_core::Result;

pub(super) use self::update_schema::update_schema;
pub(super) use self::upgrade::upgrade;
use super::Operation;
use super::produce::{Ground, Produced};
use super::seen::Seen;
use crate::metadata::TableMetadata;

/// What an action knows beside what it stands on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Since<'a> {
    /// The table when the operation began; `None` asks for no isolation.
    pub began_at: Option<&'a TableMetadata>,
    /// The table that the attempt stands on, before all its operations.
    pub base: Option<&'a TableMetadata>,
    /// Does the commit bring files, which were written for the table when the operation began?
    pub brings_files: bool,
    /// The snapshots that the new rows were made from, beside the one that `began_at` is at.
    pub made_from: &'a [Option<i64>],
    /// The columns that the operation was made for; `None` is those that it finds.
    pub seen: Option<&'a Seen>,
}

/// Tries an operation.
///
/// Errors: `CommitConflict` where it cannot stand on this base; `InvalidInput`; `Unsupported`; those of the store.
pub(super) fn attempt(ground: &Ground<'_>, since: Since<'_>, operation: &Operation) -> Result<Produced> {
    if operation.changes_rows() {
        ground.metadata.check_not_encrypted()?;
    }
    match operation {
        Operation::Append { receipt, merge } => append::append(ground, receipt, *merge),
        Operation::Overwrite { receipt, filter, case_sensitive, isolation } => {
            let rows = overwrite::Rows { filter, case_sensitive: *case_sensitive };
            overwrite::overwrite(ground, since, receipt, rows, *isolation)
        }
        Operation::Delete { filter, case_sensitive, isolation } => {
            let rows = overwrite::Rows { filter, case_sensitive: *case_sensitive };
            overwrite::delete(ground, since, rows, *isolation)
        }
        Operation::DynamicOverwrite { receipt, isolation } => {
            dynamic_overwrite::dynamic_overwrite(ground, since, receipt, *isolation)
        }
        Operation::CreateTable(table) => create_table::create_table(since.base, table),
        Operation::SetProperties(properties) => properties::set_properties(&ground.metadata, properties),
        Operation::RemoveProperties(names) => properties::remove_properties(&ground.metadata, names),
        Operation::UpdateSchema(changes) => update_schema(&ground.metadata, since, changes),
        Operation::UpgradeFormatVersion(version) => Ok(upgrade(&ground.metadata, *version)),
        Operation::SetRef(name, reference) => references::set_ref(&ground.metadata, name, reference),
        Operation::RemoveRef(name) => references::remove_ref(&ground.metadata, name),
    }
}
