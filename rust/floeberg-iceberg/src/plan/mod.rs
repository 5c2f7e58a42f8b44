//! Which files must be read, with which deletes?

mod attach;
mod begun;
mod bounds;
mod by_path;
mod by_sequence;
mod chunk;
mod delete_files;
mod deletes;
mod equality_list;
mod explain;
mod filter;
mod glance;
mod incremental;
mod indexed_delete;
mod intervals;
mod key_stats;
mod manifest_bytes;
mod manifest_cache;
mod manifests;
mod plan_stream;
mod planned_stretch;
mod planning;
mod position_list;
mod request;
mod residuals;
mod result;
mod specs;
mod split;
mod stretches;
mod summary;
mod tally;
mod task;
mod tasks;
mod to_read;
mod verdicts;

pub(crate) use delete_files::delete_file;
pub use explain::{DeleteCounts, Dropped, Explain, ReadManifests, Stage};
pub(crate) use glance::Glance;
pub use incremental::Appends;
pub(crate) use manifest_bytes::read_manifest;
pub use manifest_cache::ManifestCache;
pub(crate) use manifests::read_manifests_of;
pub use plan_stream::{PlanStream, plan};
pub use request::PlanRequest;
pub use result::Plan;
pub(crate) use specs::{PlannedSpec, Specs};
pub use split::{Extent, SplitOptions, SplitRequest, TaskGroup};
pub use task::{DeleteFile, DeleteKind, FileFormat, FileScanTask};
pub(crate) use tasks::TaskRow;
pub use to_read::{AttachedDeletes, DeletesByKind, FileSizes};

#[cfg(test)]
pub(crate) mod tests;
