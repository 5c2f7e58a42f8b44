//! How are rows that match a filter deleted while new rows are added?
//!
//! In: a filter, a mode, and files that come. Out: one snapshot, or what it would change.
//! Spec: Snapshots (`delete`, `overwrite`); Scan Planning; Commit Conflict Resolution and Retry.
//!
//! Invariant: every attempt looks for the rows in its own base, so that a retry neither misses rows nor brings any back. Files of
//! which all rows match go by metadata alone.

use floeberg_core::Result;
use floeberg_core::expr::{BoundExpr, Expr};
use floeberg_iceberg::write::WrittenFile;
use floeberg_properties::{DELETE_MODE, Words};

use crate::conflicts::Validation;
use crate::produce::{ActionContext, FileChange, FilesByPath, Produced, Removal, change_files};
use crate::row_level::{Affected, RowChange, affected, counted, matched, row_change};
use crate::state::Step;
use crate::{DeleteMode, IsolationLevel, RowCounts};

/// The deleted rows, and how they are deleted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'a> {
    pub filter: &'a Expr,
    pub case_sensitive: bool,
    /// `None` follows the table.
    pub isolation: Option<IsolationLevel>,
    /// `None` follows the table.
    pub mode: Option<DeleteMode>,
}

/// The rows to delete from a base.
#[derive(Debug)]
pub(super) struct RowsOfBase {
    pub bound: BoundExpr,
    pub removal: Removal,
    pub mode: DeleteMode,
    pub level: IsolationLevel,
    pub affected: Affected,
}

impl RowsOfBase {
    /// Finds the files that may hold such rows. `isolation` is the property of the level.
    ///
    /// Errors: those of binding the filter; `InvalidInput` for merge-on-read in v1; those of reading manifests.
    pub fn find(
        context: &ActionContext<'_>,
        validation: Validation<'_>,
        rows: Rows<'_>,
        isolation: Words,
    ) -> Result<Self> {
        let bound = context.bind(rows.filter, rows.case_sensitive, validation.columns_at_start)?;
        let by_property = || IsolationLevel::of(&context.metadata, isolation);
        let level = rows.isolation.map_or_else(by_property, Ok)?;
        let mode = rows.mode.map_or_else(|| DeleteMode::of(&context.metadata, DELETE_MODE), Ok)?;
        let mode = mode.checked(&context.metadata)?;
        context.progress.begin(Step::Planning, 0);
        let removal = Removal::rows(bound.clone(), context.specs()?);
        let affected = affected(context, &removal)?;
        Ok(Self { bound, removal, mode, level, affected })
    }

    /// Removes the rows, and adds files. `operation` is that of the snapshot where no rows are copied.
    pub fn replace(
        self,
        context: &ActionContext<'_>,
        operation: &'static str,
        files: &[WrittenFile],
    ) -> Result<Produced> {
        let Self { bound, removal, mode, affected, .. } = self;
        let Affected { whole, partial, manifests } = affected;
        if partial.is_empty() {
            let removal = removal.of_whole_files(FilesByPath::new(&whole).listed_in(manifests));
            let change = FileChange::new(operation, files, Some(&removal));
            return change_files(context, change);
        }
        let found = matched(context, &bound, &partial, manifests.clone())?;
        let RowChange { added, removed, counts } = row_change(context, mode, whole, found)?;
        let has_copies = mode == DeleteMode::CopyOnWrite && !added.files().is_empty();
        let removal = Removal::Files(FilesByPath::new(&removed).listed_in(manifests));
        let all: Vec<WrittenFile> = files.iter().chain(added.files()).cloned().collect();
        let change = FileChange::new(if has_copies { "overwrite" } else { operation }, &all, Some(&removal))
            .of_attempt();
        let mut produced = change_files(context, change)?;
        produced.files.extend(added.locations().map(str::to_owned));
        Ok(Produced { counts, ..produced })
    }

    /// What would change. Nothing is written.
    pub fn count(self, context: &ActionContext<'_>) -> Result<RowCounts> {
        let Affected { whole, partial, manifests } = self.affected;
        if partial.is_empty() {
            return Ok(counted(self.mode, &whole, &[]));
        }
        let found = matched(context, &self.bound, &partial, manifests)?;
        Ok(counted(self.mode, &whole, &found))
    }
}
