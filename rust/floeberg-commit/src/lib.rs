//! How do operations become changes of a table or a view?
//!
//! A [`Commit`] is tried on a base, and on a later one if another commit was faster. Its result is requirements and updates in
//! the vocabulary of the REST catalog specification; a catalog swaps the pointer.
//!
//! A module uses only modules that are declared before it.
//!
//! - `refs`: changes of branches and tags, and the work that is found on them by its key.
//! - `operations`: what is to be done to a table, on any base.
//! - `apply`: updates and requirements of a REST catalog, and the metadata after them.
//! - `state`: what a commit keeps over its attempts: its files, rows that it found, counts and progress.
//! - `columns`: whether the columns of an operation and of its files still mean the same.
//! - `produce`: from added and removed files to manifests and a snapshot.
//! - `row_level`: the rows that an operation changes, their delete files, and copies of the others.
//! - `conflicts`: whether commits of others since an operation began conflict with it.
//! - `actions`: operations on a base, one file each.
//! - `attempts`: a commit on one base after the other.
//! - `view`: changes of a view, and the metadata afterwards.

mod refs;
mod operations;
mod apply;
mod state;
mod columns;
mod produce;
mod row_level;
mod conflicts;
mod actions;
mod attempts;
mod view;

pub use apply::{
    LAST_ADDED, Previous, Requirement, Update, apply, repair_metadata, updates_to_json, write_document,
};
pub use attempts::{Attempt, Commit, CommitRequest, apply_request, read_requirements};
pub use operations::{
    DeleteMode, DeleteRewrite, DeleteRewriteKind, Expiry, IsolationLevel, KeptEntries, ManifestRewrite,
    MetadataRepair, NewTable, Operation, Rebuild, Repair, Rewrite, RewriteSort, RowCommand, RowDelta,
    SortOrderChange, StatisticsChange,
};
pub use refs::{COMMIT_KEY, CommitKey, RefChange, Retention, SnapshotChoice, first_source};
pub use row_level::{DeleteGroup, GroupCopy, copy_group, why_vector_stays, write_group_deletes};
pub use state::{Progress, RowCounts, RowProof, RowsOfFiles, Step, now_ms};
pub use view::{NewVersion, NewView, ViewAttempt, ViewOperation, ViewRequirement, ViewUpdate, apply_to_view};

#[cfg(test)]
mod tests;
