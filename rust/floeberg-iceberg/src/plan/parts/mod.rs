//! How is a plan made of manifests that other processes read?
//!
//! In: a request. Out: tasks that say which manifests to read; and of what they return, the same plan as [`plan`](super::plan) makes.
//!
//! A task decodes its manifests, tests the entries of data manifests by the filter, and returns the kept ones as columns. All else
//! happens here, by the code of any plan: deletes are indexed and found, residuals made, rows numbered. Where nobody needs the whole
//! plan, a task plans the files of its manifests by itself.
//!
//! Invariant: each manifest is taken once and in the order of the plan; what a task did not return is an error.

mod manifest_task;
mod entry_columns;
mod block_record;
mod read_manifests;
mod assembly;
mod part;

pub use assembly::{PlanAssembly, PlanParts};
pub use manifest_task::ManifestTask;
pub use part::plan_part;
pub use read_manifests::read_manifests;
