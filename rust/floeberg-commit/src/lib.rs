//! How do operations become changes of a table?
//!
//! A [`Commit`] is tried on a base, and on a later one if another commit was faster. Its result is requirements and updates in
//! the vocabulary of the REST catalog specification; a catalog swaps the pointer.
//!
//! A module uses only those that are declared before it.
//!
//! - `fit`: whether files still fit the table that they are added to.
//! - `key`: by which an operation is found again, whoever committed it.
//! - `random`: numbers and uuids that nobody has drawn before.
//! - `summary`: what a snapshot says of what it changed.
//! - `commit_files`: what earlier attempts wrote, which the next one uses again or which is removed at the end.
//! - `update`: what a commit can change in a table.
//! - `requirement`: what must still be so when a commit is applied.
//! - `apply`: updates to the metadata of a table.
//! - `requirement_json`: requirements as the JSON of a REST catalog.
//! - `seen`: which columns an operation meant, and what they are called now.
//! - `produce`: files that come and go to manifests and a snapshot.
//! - `validation`: what an operation was made for, and what it stands on.
//! - `isolation`: how far an operation is kept apart from others.
//! - `validate`: whether what others committed meanwhile is a conflict.
//! - `known_properties`: whether a property may have a value.
//! - `operation`: what is to be done, described on no base.
//! - `operation_bytes`: operations as bytes, for other processes.
//! - `update_json`: updates as the JSON of a REST catalog.
//! - `actions`: operations on a base, a file each.
//! - `attempt`: what one try on a base gave: requirements and updates, and whole metadata.
//! - `columns_seen`: the columns that each operation of a commit found.
//! - `commit`: attempts, one after the other, and what is left of them.

mod fit;
mod key;
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
