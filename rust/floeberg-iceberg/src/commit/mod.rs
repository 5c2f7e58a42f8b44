//! Operations become changes of a table.
//!
//! A [`Commit`] is tried on a base, and on a later one where another was faster. What it says is requirements and updates
//! in the vocabulary of the REST catalog specification; who swaps the pointer is a catalog's business.

mod fit;
mod key;
mod properties;
mod places;
mod random;
mod summary;
mod kept;
mod update;
mod requirement;
mod apply;
mod requirement_json;
mod seen;
mod produce;
mod since;
mod isolation;
mod known_properties;
mod operation;
mod operation_bytes;
mod update_json;
mod attempt;
mod actions;
mod columns_seen;
mod trial;

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
