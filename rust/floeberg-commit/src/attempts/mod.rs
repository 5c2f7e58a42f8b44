//! What does a commit change on one base, and on a later one?
//!
//! - `attempt`: the result on one base: requirements and updates, and the whole metadata.
//! - `encrypted_request`: what a client may not change of the encryption of a table.
//! - `columns_at_start`: the columns that each operation of a commit saw.
//! - `request`: the request of a client of a REST catalog, as an attempt.
//! - `commit`: attempts, one after the other, and their files.

mod attempt;
mod encrypted_request;
mod request;
mod columns_at_start;
mod commit;

pub use attempt::Attempt;
pub use commit::{Commit, CommitRequest};
pub use request::{apply_request, read_requirements};
