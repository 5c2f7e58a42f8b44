//! How does Python commit to a table?
//!
//! - `operation`: what is asked to be done to a table.
//! - `commit`: tries of a commit.

pub mod operation;
#[expect(clippy::module_inception, reason = "the class that the folder is about")]
pub mod commit;
