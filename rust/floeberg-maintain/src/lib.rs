//! Which files of a table are not needed any more, which are worth writing again, and what do statistics say?
//!
//! Nothing is removed here, nor committed: what may go is found, and the caller does it.
//!
//! A module uses only modules that are declared before it.
//!
//! - `place`: one spelling of a location, in which files are compared.
//! - `earlier`: the manifests that are too old to name a file that may go.
//! - `unneeded`: the files that a table needed before, and does not need now.
//! - `reachable`: all files of a table that was dropped.
//! - `packing`: files in groups of a bounded size.
//! - `compaction`: which data files are worth writing again.
//! - `delete_files`: which delete files are worth writing again.
//! - `clock`: the time of a store.
//! - `neighbours`: whether another table of the catalog has a folder.
//! - `numbered`: places as numbers of folders and names, where there are millions.
//! - `listed`: the files of a folder, and whether a table names them.
//! - `orphans`: files in the folders of a table that nothing names.
//! - `orphan_parts`: the same, by several workers.
//! - `expiry_parts`: files that expired snapshots alone needed, by several workers.
//! - `statistics`: distinct values of columns, and counts of partitions.
//! - `paths`: the files of a table below another location.
//! - `diff`: what differs between two snapshots of a table.
//! - `check`: whether a table or a view is what the specification says.
//! - `repair`: what mends faults that a check found.
//! - `rebuild`: a new table of the files of a lost one.

mod place;
mod earlier;
mod unneeded;
mod reachable;
mod packing;
mod compaction;
mod delete_files;
mod clock;
mod neighbours;
mod numbered;
mod listed;
mod orphans;
mod orphan_parts;
mod expiry_parts;
mod statistics;
mod paths;
mod diff;
mod check;
mod repair;
mod rebuild;

pub use check::{Check, CheckRequest, SnapshotsToCheck, TaskChecks, iceberg_rules, newly_broken};
pub use clock::store_time_ms;
pub use compaction::{FileGroup, JobOrder, Sizes, groups};
pub use delete_files::{DeleteFileSizes, equality_groups, position_groups};
pub use diff::{Proof, TableDiff};
pub use neighbours::check_no_other_table;
pub use orphan_parts::{listed_places, named_parts, named_places};
pub use orphans::{ComparedFile, Orphans, PrefixMismatch};
pub use paths::{PathRewrite, RewrittenPaths, rewrite_table_path};
pub use place::Prefixes;
pub use reachable::files_of_dropped_table;
pub use rebuild::{LeftFile, PassedOver, RebuildPlan, RebuildRequest, plan_rebuild, rebuild_candidates};
pub use repair::{
    DamagedVersion, FolderRepair, GoneFile, LostSnapshot, RepairChoice, RepairPlan, plan_folder_repair,
    plan_repair,
};
pub use statistics::{ColumnSketches, PartitionCounts, partition_counts, sketch_columns};
pub use unneeded::{ExpiredFiles, unneeded_files};
