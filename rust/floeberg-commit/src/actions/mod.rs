//! What does each operation change?
//!
//! In: an operation and a base. Out: updates, and files that are written. A file an operation.
//!
//! Invariant: an action can be tried on any base, any number of times.

mod append;
mod add_files;
mod dynamic_overwrite;
mod by_filter;
mod overwrite;
mod delete;
mod named_rows;
mod row_delta;
mod known_properties;
mod properties;
mod create_table;
mod references;
mod update_schema;
mod replace_table;
mod upgrade;
mod update_spec;
mod replace_sort_order;
mod location;
mod statistics;
mod expire_snapshots;
mod rewrite_data_files;
mod rewrite_deletes;
mod dangling_deletes;
mod rewrite_manifests;
mod repair;
mod rebuild;
mod cherrypick;

use floeberg_core::{Error, Result};
use floeberg_properties::{DELETE_ISOLATION, UPDATE_ISOLATION};

use self::by_filter::{Rows, RowsOfBase};
pub(super) use self::known_properties::check_key;
pub(super) use self::rewrite_data_files::groups_to_copy;
pub(super) use self::rewrite_deletes::{deletes_to_write, take as take_deletes};
pub(super) use self::update_schema::update_schema;
pub(super) use self::upgrade::upgrade;
use crate::conflicts::Validation;
use crate::produce::{ActionContext, Produced};
use crate::{DeleteRewriteKind, Operation, RowCounts};

/// Tries an operation.
///
/// Errors: `CommitConflict` where it cannot stand on this base; `InvalidInput`; `Unsupported`; those of the store.
pub(super) fn attempt(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    operation: &Operation,
) -> Result<Produced> {
    if operation.changes_rows() {
        context.metadata.check_writable_by(context.reader.store.as_ref())?;
    }
    match operation {
        Operation::Append { receipt, merge } => append::append(context, receipt, *merge),
        Operation::AddFiles { receipt, name_mapping } => {
            add_files::add_files(context, receipt, name_mapping.as_deref())
        }
        Operation::Overwrite { receipt, filter, case_sensitive, isolation, mode } => {
            let rows = Rows { filter, case_sensitive: *case_sensitive, isolation: *isolation, mode: *mode };
            overwrite::overwrite(context, validation, receipt, rows)
        }
        Operation::Delete { filter, case_sensitive, isolation, mode, finds_again } => {
            let rows = Rows { filter, case_sensitive: *case_sensitive, isolation: *isolation, mode: *mode };
            delete::delete(context, validation, rows, *finds_again)
        }
        Operation::DynamicOverwrite { receipt, isolation } => {
            dynamic_overwrite::dynamic_overwrite(context, validation, receipt, *isolation)
        }
        Operation::RowDelta(delta) => row_delta::row_delta(context, validation, delta),
        Operation::CreateTable(table) => create_table::create_table(validation.base, table),
        Operation::ReplaceTable(table) => replace_table::replace_table(&context.metadata, validation, table),
        Operation::SetProperties(properties) => properties::set_properties(&context.metadata, properties),
        Operation::RemoveProperties(names) => properties::remove_properties(&context.metadata, names),
        Operation::UpdateSchema(changes) => update_schema(&context.metadata, validation, changes),
        Operation::UpgradeFormatVersion(version) => Ok(upgrade(&context.metadata, *version)),
        Operation::UpdateSpec(changes) => update_spec::update_spec(&context.metadata, validation, changes),
        Operation::ReplaceSortOrder(change) => {
            replace_sort_order::replace_sort_order(&context.metadata, validation, change)
        }
        Operation::SetLocation(location) => Ok(location::set_location(&context.metadata, location)),
        Operation::SetStatistics(change) => statistics::set_statistics(&context.metadata, change),
        Operation::RewriteDataFiles(rewrite) => {
            rewrite_data_files::rewrite_data_files(context, validation, rewrite)
        }
        Operation::RewriteDeletes(rewrite) => match rewrite.kind {
            DeleteRewriteKind::Dangling => dangling_deletes::remove_dangling_deletes(context),
            _ => rewrite_deletes::rewrite_deletes(context, rewrite),
        },
        Operation::RewriteManifests(rewrite) => rewrite_manifests::rewrite_manifests(context, rewrite),
        Operation::ExpireSnapshots(expiry) => expire_snapshots::expire_snapshots(context, expiry),
        Operation::ChangeRef(change) => references::change_ref(context, validation, change),
        Operation::Repair(wanted) => repair::repair(context, wanted),
        Operation::Rebuild(wanted) => rebuild::rebuild(context, validation.base, wanted),
        Operation::Cherrypick(snapshot_id) => cherrypick::cherrypick(context, validation, *snapshot_id),
    }
}

/// What an operation would change. Nothing is written.
///
/// Errors: `InvalidInput` for an operation that cannot be counted before it is done; those of [`attempt`], but no conflict.
pub(super) fn count(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    operation: &Operation,
) -> Result<RowCounts> {
    context.metadata.check_writable_by(context.reader.store.as_ref())?;
    let (filter, case_sensitive, isolation, mode, property) = match operation {
        Operation::Overwrite { filter, case_sensitive, isolation, mode, .. } => {
            (filter, *case_sensitive, *isolation, *mode, UPDATE_ISOLATION)
        }
        Operation::Delete { filter, case_sensitive, isolation, mode, .. } => {
            (filter, *case_sensitive, *isolation, *mode, DELETE_ISOLATION)
        }
        Operation::RowDelta(delta) => return row_delta::count(context, delta),
        Operation::RewriteManifests(rewrite) => return rewrite_manifests::count(context, rewrite),
        Operation::RewriteDeletes(rewrite) => {
            return match rewrite.kind {
                DeleteRewriteKind::Dangling => dangling_deletes::count(context),
                _ => rewrite_deletes::count(context, rewrite),
            };
        }
        other => {
            let message = format!("a dry run counts rows that change, found {}", other.name());
            return Err(Error::invalid_input(message));
        }
    };
    RowsOfBase::find(context, validation, Rows { filter, case_sensitive, isolation, mode }, property)?
        .count(context)
}
