//! Which files must be read, with which deletes?

mod account;
mod begun;
mod bounds;
mod chunk;
mod deletes;
mod filter;
mod glance;
mod incremental;
mod manifests;
mod plan_stream;
mod planned_stretch;
mod planning;
mod request;
mod residuals;
mod result;
mod specs;
mod split;
mod stretches;
mod summary;
mod task;
mod tasks;

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
