//! Do commits of others since an operation began conflict with it?
//!
//! - `concurrent_change`: the states between which conflicts are looked for, and errors that are another writer's fault.
//! - `validate`: looks for conflicts in the snapshots between them.

mod concurrent_change;
mod validate;

pub(crate) use concurrent_change::{Validation, as_conflict_if};
pub(crate) use validate::{validate_added_data_files, validate_added_keys, validate_no_conflicts};
