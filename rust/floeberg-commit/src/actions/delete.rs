//! How are the rows that match a filter deleted?
//!
//! Spec: Snapshots (`delete`, `overwrite`); Scan Planning; Commit Conflict Resolution and Retry.
//!
//! Invariant: every attempt looks for the rows in its own base, so that a retry neither misses rows nor brings any back. Files of
//! which all rows match go by metadata alone.

use std::collections::HashSet;

use floeberg_core::expr::BoundExpr;
use floeberg_core::{Error, Result};
use floeberg_iceberg::write::WrittenFile;
use floeberg_properties::DELETE_ISOLATION;

use super::overwrite::Rows;
use crate::produce::{ActionContext, FileChange, NamedFiles, Produced, Removal, change_files};
use crate::row_level::{Affected, Matched, affected, copied, matched, merged_on_read};
use crate::validate::{validate_added_data_files, validate_no_conflicts};
use crate::validation::Validation;
use crate::{DeleteMode, IsolationLevel};

/// Removes the rows that match.
///
/// Errors: `InvalidInput` for merge-on-read in v1; `CommitConflict`; those of reading and writing.
pub(super) fn delete(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    rows: Rows<'_>,
    isolation: Option<IsolationLevel>,
    mode: Option<DeleteMode>,
) -> Result<Produced> {
    let bound = context.bind(rows.filter, rows.case_sensitive, validation.seen)?;
    let by_property = || IsolationLevel::of(&context.metadata, DELETE_ISOLATION);
    let level = isolation.map_or_else(by_property, Ok)?;
    let mode = mode.map_or_else(|| DeleteMode::of(&context.metadata), Ok)?;
    if mode == DeleteMode::MergeOnRead && context.metadata.format_version < 2 {
        return Err(Error::invalid_input(
            "a table of format version 1 has no delete files: delete by mode \"copy-on-write\", or upgrade the table",
        ));
    }
    let removal = Removal::rows(bound.clone(), context.specs()?);
    let Affected { whole, partial } = affected(context, &removal)?;
    if partial.is_empty() || mode == DeleteMode::CopyOnWrite {
        validate_no_conflicts(context, validation, level, &removal)?;
    } else if level == IsolationLevel::Serializable {
        validate_added_data_files(context, validation, validation.made_from, &removal)?;
    }
    if partial.is_empty() {
        let change = FileChange {
            operation: "delete",
            added: &[],
            removal: Some(&removal),
            merges: true,
            replaces_partitions: false,
            is_of_attempt: false,
        };
        return change_files(context, change);
    }
    delete_from(context, &bound, mode, whole, &partial)
}

/// Removes whole files, and some of the rows of other files.
fn delete_from(
    context: &ActionContext<'_>,
    bound: &BoundExpr,
    mode: DeleteMode,
    whole: Vec<WrittenFile>,
    partial: &HashSet<String>,
) -> Result<Produced> {
    let (all, some): (Vec<_>, Vec<_>) =
        matched(context, bound, partial)?.into_iter().partition(Matched::is_whole);
    let mut removed = whole;
    removed.extend(all.iter().map(Matched::data_file));
    let added = match mode {
        _ if some.is_empty() => None,
        DeleteMode::CopyOnWrite => {
            removed.extend(some.iter().map(Matched::data_file));
            Some(copied(context, some)?)
        }
        DeleteMode::MergeOnRead => {
            let (added, replaced) = merged_on_read(context, some)?;
            removed.extend(replaced);
            Some(added)
        }
    };
    let added = added.unwrap_or_default();
    context.kept.wrote(added.locations());
    let copies = mode == DeleteMode::CopyOnWrite && !added.files().is_empty();
    let removal = Removal::Files(NamedFiles::new(&removed));
    let change = FileChange {
        operation: if copies { "overwrite" } else { "delete" },
        added: added.files(),
        removal: Some(&removal),
        merges: true,
        replaces_partitions: false,
        is_of_attempt: true,
    };
    let mut produced = change_files(context, change)?;
    produced.files.extend(added.locations().map(str::to_owned));
    Ok(produced)
}
