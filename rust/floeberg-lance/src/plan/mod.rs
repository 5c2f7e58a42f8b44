//! What is to be read, and how many rows are there?
//!
//! In: a manifest. Out: tasks of fragments, by which files are read here or elsewhere.
//!
//! Invariant: planning opens no file.

mod task;
mod planning;

#[cfg(test)]
mod tests;

pub use planning::Plan;
pub use task::{Task, TaskFile};
