//! Which table do the files of a lost table make?
//!
//! ```text
//! folder -> newest whole metadata ------> a snapshot that can be read whole -> live files -> a new table
//!        -> manifest lists, manifests --> the newest list that is whole   /
//!        -> data files ----------------> those that the caller names    /
//! ```
//!
//! Invariant: nothing of the old table is written or removed. A file is live only by a snapshot that can be read whole, or because the
//! caller says so; what other manifests name is said, and left out.
//!
//! A module uses only modules that are declared before it.
//!
//! - `request`: what is asked for, and what is found out.
//! - `folder`: the files in the folder of a table.
//! - `metadata_files`: the newest metadata file that can be read.
//! - `avro_files`: manifest lists and manifests that are there.
//! - `columns`: columns and specs, by headers of manifests and footers of files.
//! - `read_whole`: the files that manifests list.
//! - `base`: the snapshot that the new table stands on.
//! - `unproven`: what other manifests say.
//! - `newer_lists`: manifest lists later than the metadata.
//! - `named_files`: what manifests say of the files that a caller names.
//! - `chosen`: the files that a caller names.
//! - `footers`: the columns of data files.
//! - `advice`: what a result advises.
//! - `plan`: the new table.
//! - `candidates`: the data files in a folder, described.

mod request;
mod folder;
mod metadata_files;
mod avro_files;
mod columns;
mod read_whole;
mod base;
mod unproven;
mod newer_lists;
mod named_files;
mod chosen;
mod footers;
mod advice;
mod plan;
mod candidates;

pub use candidates::rebuild_candidates;
pub use plan::plan_rebuild;
pub use request::{LeftFile, PassedOver, RebuildPlan, RebuildRequest};
