//! Which manifests and which snapshot follow from added and removed files?
//!
//! In: files to add and to remove, and a base. Out: manifests that are written, and updates with the snapshot.

mod files_by_path;
mod removal;
mod manifest_options;
mod context;
mod complete_manifests;
mod rolling;
mod unknown_fields;
mod filtered;
mod merged;
mod clustering;
mod clustered_once;
mod clustered;
mod new_manifests;
mod moved_branch;
mod imported_files;
mod base_deletes;
mod snapshot;
mod replace_manifests;
mod repaired_snapshot;
mod change_files;

pub(crate) use base_deletes::{BaseCheck, check_base};
pub(crate) use change_files::{FileChange, change_files};
pub(crate) use clustered::cluster;
pub(crate) use clustering::Clustering;
pub(crate) use complete_manifests::{base_manifests, manifests_of};
pub(crate) use context::ActionContext;
pub(crate) use files_by_path::FilesByPath;
pub(crate) use filtered::has_live_files;
pub(crate) use manifest_options::manifest_options;
pub(crate) use moved_branch::{check_moved_branch, purpose_of};
pub(crate) use removal::{Removal, partition_key};
pub(crate) use repaired_snapshot::{LiveFiles, rebuilt_snapshot, repaired_snapshot};
pub(crate) use replace_manifests::replace_manifests;
pub(crate) use rolling::RollingManifests;
pub(crate) use snapshot::Produced;
