//! How does an operation become a version?
//!
//! In: an operation and the version that it was made of. Out: the next version, written, or why it cannot be.
//! Spec: Lance, Transactions.
//!
//! Invariant: a version is written only where none is. What was committed meanwhile is looked at first, by the matrix of conflicts.

mod touched;
mod matrix;
mod conflict;
mod files;
mod deletes;
mod names;
mod clock;
mod put;
mod conditions;
mod attempt;
mod staged;
mod commit_table;

#[cfg(test)]
mod tests;

pub use attempt::{Commit, CommitRequest, Committed, find_commit};
pub(crate) use clock::now;
pub use commit_table::{CreateRequest, create_table, stage_table};
pub use conditions::{Conditions, check_written};
pub use conflict::{Answer, answer};
pub use deletes::RowsOf;
pub use names::data_file_name;
pub(crate) use put::Ready;
pub use staged::{Staged, finalize};
