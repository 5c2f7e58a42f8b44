//! Which files must be read, with which deletes?

mod attach;
mod bounds;
mod chunk;
mod delete_files;
mod deletes;
mod even;
mod explain;
mod filter;
mod glance;
mod incremental;
mod key_stats;
mod manifests;
mod parallel;
mod planner;
mod result;
mod specs;
mod split;
mod summary;
mod task;
mod tasks;

pub(crate) use delete_files::delete_file;
pub use explain::{DeleteCounts, Dropped, Explain, Stage};
pub(crate) use glance::Glance;
pub use incremental::Appends;
pub(crate) use manifests::read_manifests_of;
pub(crate) use parallel::ordered;
pub(crate) use planner::read_manifest;
pub use planner::{PlanRequest, plan};
pub use result::Plan;
pub(crate) use specs::{PlannedSpec, Specs};
pub use split::{SplitOptions, TaskGroup};
pub use task::{DeleteFile, DeleteKind, FileFormat, FileScanTask};

#[cfg(test)]
pub(crate) mod tests;
