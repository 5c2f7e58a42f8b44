//! Which files must be read, with which deletes?

mod columns;
mod task;
mod tasks;
mod explain;
mod incremental;
mod request;
mod deletes;
mod planned_blocks;
mod result;
mod to_read;
mod planned_file;
mod split;
mod chosen_manifests;
mod plan_job;
mod plan_blocks;
mod numbering;
mod served;
mod plan_stream;
mod data_blocks;
mod parts;

pub(crate) use deletes::delete_files::delete_file;
pub use explain::{Dropped, Explain, ReadManifests, Stage};
pub use incremental::Appends;
pub use parts::{ManifestTask, PlanAssembly, PlanParts, plan_part, read_manifests};
pub use plan_stream::{PlanStream, plan};
pub(crate) use planned_file::PlannedFile;
pub use request::PlanRequest;
pub use result::Plan;
pub use served::{ScanPlanner, ServedScan, served_plan, served_request};
pub use split::{Extent, SplitOptions, SplitRequest, TaskGroup};
pub use task::{DeleteFile, DeleteKind, FileFormat, FileScanTask};
pub(crate) use tasks::TaskRow;
pub use to_read::{AttachedDeletes, DeletesByKind, FileSizes};

#[cfg(test)]
pub(crate) mod tests;
