//! How does Python commit to a table or a view?
//!
//! - `operation`: what is asked to be done to a table.
//! - `commit`: tries of a commit.
//! - `view`: operations on a view, and their tries.

pub mod operation;
#[expect(clippy::module_inception, reason = "the class that the folder is about")]
pub mod commit;
pub mod view;
