//! Files that come and go become a snapshot.

mod removal;
mod stored;
mod context;
mod completed;
mod rolling;
mod filtered;
mod merged;
mod new_manifests;
mod received;
mod snapshot;
mod change_files;

pub(crate) use change_files::{FileChange, change_files};
pub(crate) use completed::manifests_of;
pub(crate) use context::ActionContext;
pub(crate) use removal::{Removal, partition_key};
pub(crate) use snapshot::Produced;
pub(crate) use stored::manifest_options;
