//! Which clause of a merge is for which row, and what are the new values?
//!
//! - `clause`: what is done to which rows.
//! - `join`: what joins the source to the table.
//! - `once`: matched rows, each once.
//! - `run`: the clauses, applied to batches.

mod clause;
mod join;
mod once;
mod run;

pub use clause::{Action, Clause, ClauseRows};
pub use join::JoinKeys;
pub use run::{Merge, MergeRequest};
