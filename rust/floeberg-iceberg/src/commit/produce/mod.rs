//! Files that come and go become a snapshot.

mod change_files;
mod completed;
mod filtered;
mod ground;
mod merged;
mod new_manifests;
mod received;
mod removal;
mod rolling;
mod snapshot;
mod stored;

pub(crate) use change_files::{FileChange, change_files};
pub(crate) use ground::Ground;
pub(crate) use removal::{Removal, RowFilter, Verdict, partition_key};
pub(crate) use snapshot::Produced;
pub(crate) use stored::manifest_options;
