//! Which files of a table are not needed any more, which are worth writing again, and what do statistics say?
//!
//! Nothing is removed here, nor committed: what may go is found, and the caller does it.
//!
//! A module uses only modules that are declared before it.
//!
//! - `place`: one spelling of a location, in which files are compared.
//! - `unneeded`: the files that a table needed before, and does not need now.
//! - `reachable`: all files of a table that was dropped.
//! - `packing`: files in groups of a bounded size.
//! - `compaction`: which data files are worth writing again.
//! - `delete_files`: which delete files are worth writing again.
//! - `orphans`: files in the folders of a table that nothing names.
//! - `statistics`: distinct values of columns, and counts of partitions.
//! - `paths`: the files of a table below another location.
//! - `diff`: what differs between two snapshots of a table.
//! - `check`: whether a table or a view is what the specification says.

mod place;
mod unneeded;
mod reachable;
mod packing;
mod compaction;
mod delete_files;
mod orphans;
mod statistics;
mod paths;
mod diff;
mod check;

pub use check::{Check, CheckRequest, SnapshotsToCheck, iceberg_rules};
pub use compaction::{FileGroup, JobOrder, Sizes, groups};
pub use delete_files::{DeleteFileSizes, equality_groups, position_groups};
pub use diff::{Proof, TableDiff};
pub use orphans::{Orphans, PrefixMismatch};
pub use paths::{PathRewrite, RewrittenPaths, rewrite_table_path};
pub use place::Prefixes;
pub use reachable::files_of_dropped_table;
pub use statistics::{ColumnSketches, PartitionCounts, partition_counts, sketch_columns};
pub use unneeded::unneeded_files;
