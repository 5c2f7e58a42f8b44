//! How do operations become changes of a table or a view?
//!
//! A [`Commit`] is tried on a base, and on a later one if another commit was faster. Its result is requirements and updates in
//! the vocabulary of the REST catalog specification; a catalog swaps the pointer.
//!
//! A module uses only modules that are declared before it.
//!
//! - `fit`: checks that files still fit the table that they are added to.
//! - `clock`: the time of a commit.
//! - `metadata_file`: documents to metadata files.
//! - `renamed_branches`: the names that branches had before.
//! - `key`: idempotency keys, by which earlier work is found again.
//! - `random`: unique numbers and uuids.
//! - `row_counts`: how many rows and files an operation changes.
//! - `progress`: how far an attempt is.
//! - `summary`: snapshot summaries.
//! - `commit_files`: files of earlier attempts, which the next one uses again or which are removed at the end.
//! - `known_rows`: rows that earlier attempts of a commit found.
//! - `update`: what a commit can change in a table.
//! - `requirement`: what must still hold when a commit is applied.
//! - `apply`: updates to the metadata of a table.
//! - `requirement_json`: requirements as the JSON of a REST catalog.
//! - `seen`: which columns an operation meant, and their names now.
//! - `produce`: from added and removed files to manifests and a snapshot.
//! - `validation`: the states between which conflicts are looked for.
//! - `isolation`: isolation levels.
//! - `delete_mode`: copy-on-write or merge-on-read.
//! - `row_command`: the commands that change rows, and their properties.
//! - `row_level`: the rows that an operation changes, their delete files, and copies of the others.
//! - `changed_since`: errors that are another writer's fault.
//! - `validate`: checks whether commits of others are a conflict.
//! - `known_properties`: checks the values of properties.
//! - `row_delta`: files that change rows: data files and delete files that come and go.
//! - `ref_change`: how a user changes branches and tags.
//! - `sort_order_change`: how a user declares another sort order.
//! - `operation`: operations on a table, without a base.
//! - `statistics_json`: changes of statistics files as JSON.
//! - `operation_bytes`: operations as bytes, for other processes.
//! - `update_json`: updates as the JSON of a REST catalog.
//! - `actions`: operations on a base, one file each.
//! - `attempt`: the result on one base: requirements and updates, and the whole metadata.
//! - `view`: changes of a view, and the metadata afterwards.
//! - `columns_seen`: the columns that each operation of a commit saw.
//! - `commit`: attempts, one after the other, and their files.

mod fit;
mod clock;
mod metadata_file;
mod renamed_branches;
mod key;
mod random;
mod row_counts;
mod progress;
mod summary;
mod commit_files;
mod known_rows;
mod update;
mod requirement;
mod apply;
mod requirement_json;
mod seen;
mod produce;
mod validation;
mod changed_since;
mod isolation;
mod delete_mode;
mod row_command;
mod row_level;
mod validate;
mod known_properties;
mod row_delta;
mod ref_change;
mod sort_order_change;
mod operation;
mod statistics_json;
mod operation_bytes;
mod update_json;
mod attempt;
mod actions;
mod view;
mod columns_seen;
mod commit;

pub use apply::{Previous, apply};
pub use attempt::Attempt;
pub use commit::{Commit, CommitRequest};
pub use delete_mode::DeleteMode;
pub use isolation::IsolationLevel;
pub use key::{COMMIT_KEY, CommitKey, first_source};
pub use operation::{NewTable, Operation, StatisticsChange};
pub use progress::{Progress, Step};
pub use ref_change::{RefChange, Retention, SnapshotChoice};
pub use requirement::Requirement;
pub use row_command::RowCommand;
pub use row_counts::RowCounts;
pub use row_delta::RowDelta;
pub use sort_order_change::SortOrderChange;
pub use update::{LAST_ADDED, Update};
pub use update_json::updates_to_json;
pub use view::{NewVersion, NewView, ViewAttempt, ViewOperation, ViewRequirement, ViewUpdate, apply_to_view};

#[cfg(test)]
mod tests;
