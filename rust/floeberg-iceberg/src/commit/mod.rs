//! Operations become changes of a table.
//!
//! A [`Commit`] is tried on a base, and on a later one where another was faster. What it says is requirements and updates
//! in the vocabulary of the REST catalog specification; who swaps the pointer is a catalog's business.

mod actions;
mod apply;
mod attempt;
mod fit;
mod isolation;
mod kept;
mod key;
mod known_properties;
mod operation;
mod operation_bytes;
mod places;
mod produce;
mod properties;
mod random;
mod requirement;
mod requirement_json;
mod seen;
mod summary;
mod trial;
mod update;
mod update_json;

pub use apply::{Previous, apply};
pub use attempt::Attempt;
pub use isolation::IsolationLevel;
pub use key::{COMMIT_KEY, CommitKey};
pub use operation::{NewTable, Operation};
pub use requirement::Requirement;
pub use trial::{Commit, CommitRequest};
pub use update::{LAST_ADDED, Update};
pub use update_json::updates_to_json;

#[cfg(test)]
mod tests;
