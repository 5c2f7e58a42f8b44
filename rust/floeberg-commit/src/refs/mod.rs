//! How do branches and tags change, and what was committed to them before?
//!
//! - `ref_change`: how a user changes branches and tags.
//! - `renamed_branches`: the names that branches had before.
//! - `commit_key`: idempotency keys, by which earlier work is found again.

mod ref_change;
mod renamed_branches;
mod commit_key;

pub use commit_key::{COMMIT_KEY, CommitKey, first_source};
pub(crate) use commit_key::{SOURCE_SNAPSHOT_ID, published_work};
pub use ref_change::{RefChange, Retention, SnapshotChoice};
pub(crate) use renamed_branches::{RENAMED_BRANCHES, with_rename};
