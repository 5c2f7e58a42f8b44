//! How are faults of a table mended that a check found?
//!
//! ```text
//! findings -> checked again -> what each rule takes -> entries of manifests, files described anew -> one operation of a commit
//!     what is mended, what is not and why, and what is lost: the same with and without the commit
//! ```
//!
//! Invariant: nothing is guessed. What has no unique answer is left, and named.
//!
//! A module uses only modules that are declared before it.
//!
//! - `mending`: what each rule takes.
//! - `values`: counts and bounds of columns, by their rows.
//! - `described`: a file, as its manifest should describe it.
//! - `recheck`: which findings still hold.
//! - `entries`: the entries of the current snapshot that findings are of.
//! - `metadata`: which findings of the metadata go with it written again.
//! - `plan`: all of it.
//! - `folder`: a folder whose newest metadata file is damaged.

mod mending;
mod values;
mod described;
mod recheck;
mod entries;
mod metadata;
mod plan;
mod folder;

pub use folder::{DamagedVersion, FolderRepair, LostSnapshot, plan_folder_repair};
pub use plan::{GoneFile, RepairChoice, RepairPlan, plan_repair};
