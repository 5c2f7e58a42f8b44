//! Which files must be read, with which deletes?

mod bounds;
mod residuals;
mod specs;
mod chunk;
mod summary;
mod task;
mod tasks;
mod account;
mod filter;
mod planned_stretch;
mod result;
mod glance;
mod split;
mod request;
mod deletes;
mod manifests;
mod begun;
mod incremental;
mod planning;
mod plan_stream;
mod stretches;

pub use account::explain::{Dropped, Explain, ReadManifests, Stage};
pub use account::to_read::{AttachedDeletes, DeletesByKind, FileSizes};
pub(crate) use bounds::EntryStats;
pub(crate) use deletes::delete_files::delete_file;
pub(crate) use glance::Glance;
pub use incremental::Appends;
pub(crate) use manifests::manifest_bytes::read_manifest;
pub use manifests::manifest_cache::ManifestCache;
pub(crate) use manifests::manifest_list::read_manifests_of;
pub use plan_stream::{PlanStream, plan};
pub use request::PlanRequest;
pub use result::Plan;
pub(crate) use specs::{PlannedSpec, Specs};
pub use split::{Extent, SplitOptions, SplitRequest, TaskGroup};
pub(crate) use summary::SummaryStats;
pub use task::{DeleteFile, DeleteKind, FileFormat, FileScanTask};
pub(crate) use tasks::TaskRow;

#[cfg(test)]
pub(crate) mod tests;
