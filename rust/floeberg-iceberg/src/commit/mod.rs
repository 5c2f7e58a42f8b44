//! Operations become changes of a table.
//!
//! A [`Commit`] is tried on a base, and on a later one if another commit was faster. Its result is requirements and updates in
//! the vocabulary of the REST catalog specification; a catalog swaps the pointer.

mod fit;
mod key;
mod metadata_folder;
mod random;
mod summary;
mod commit_files;
mod update;
mod requirement;
mod apply;
mod requirement_json;
mod seen;
mod produce;
mod validation;
mod isolation;
mod validate;
mod known_properties;
mod operation;
mod operation_bytes;
mod update_json;
mod attempt;
mod actions;
mod columns_seen;
#[expect(clippy::module_inception, reason = "it becomes the root of a crate")]
mod commit;

pub use apply::{Previous, apply};
pub use attempt::Attempt;
pub use commit::{Commit, CommitRequest};
pub use isolation::IsolationLevel;
pub use key::{COMMIT_KEY, CommitKey};
pub use operation::{NewTable, Operation};
pub use requirement::Requirement;
pub use update::{LAST_ADDED, Update};
pub use update_json::updates_to_json;

#[cfg(test)]
mod tests;
