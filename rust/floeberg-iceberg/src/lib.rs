//! What is an Iceberg table: bytes, metadata, plans, rows?
//!
//! A module uses only modules that are declared before it.
//!
//! - `wire`: bytes to raw structures and back: JSON with paths for errors, Puffin, deletion vectors. No I/O.
//! - `metadata`: the validated model of tables and views: schemas, specs, orders, snapshots, refs, logs; what a new
//!   table begins with; the current metadata file.
//! - `manifest`: manifest lists and manifests, read with inheritance applied, kept as columns, pruned by columns with
//!   reasons, and written.
//! - `plan`: the files to read, with their deletes, which are found by an index. A plan is a stream, and can be explained
//!   and split into groups.
//! - `formats`: Avro and ORC behind the contract of `floeberg-files`, as `floeberg-parquet` is.
//! - `read`: tasks to batches: files are opened, deletes are applied, rows come in order.
//! - `aggregate`: counts and extremes, by metadata where the specification guarantees that it is exact.
//! - `table`: a table, opened.
//! - `scan`: which rows of which snapshot, or which appends between two; the facade over planning and reading.
//! - `table_rows`: rows of a scan, to be compared with those of any other table.
//! - `write`: rows to data and delete files. Rows are matched to the table's columns, split by partition, sorted, encoded by
//!   threads, and written to files that end at a size. What a worker needs is a recipe, what it gives is a receipt.
//!   Deleted rows become deletion vectors, files of positions or files of keys.
//! - `lookup`: the rows that have a key of a source, and what they become by a change.
//! - `changelog`: which rows snapshots inserted, deleted and updated, and what differs between any two.
//! - `inspect`: metadata tables, one file per table. Names, types and field ids are Iceberg Java's.
//! - `recipe`: groups of tasks as bytes, for other processes.
//! - `exchange`: rows of a group in ranges of an order, for other processes.
//! - `difference_tasks`: the rows that differ between two snapshots, found by several workers.
//! - `statistics`: Puffin statistics files, and the rows of partition statistics files, read and written.
//! - `copy`: delete files, copied with other paths of data files in them.
//! - `view`: a view, opened.
//! - `add_files`: files of other writers, described as manifests want it: found in folders, checked against the table, with
//!   metrics of their footers and partition values of their paths or bounds.

pub mod wire;
pub mod metadata;
pub mod manifest;
pub mod plan;
mod formats;
pub mod read;
pub mod aggregate;
mod table;
mod scan;
mod analyze;
mod table_rows;
pub mod write;
pub mod lookup;
mod changelog;
pub mod inspect;
mod recipe;
pub mod exchange;
pub mod difference_tasks;
pub mod statistics;
pub mod copy;
mod view;
pub mod add_files;

pub use analyze::{PlanningAnalysis, ReadingAnalysis};
pub use changelog::{
    ChangelogScan, ChangelogStream, ChangingSnapshot, Difference, DifferenceStream, DifferingFiles,
    FilesOfBoth,
};
pub use recipe::{GroupRecipe, ReadRecipe};
pub use scan::{AppendsAfter, Scan, SnapshotChoice};
pub use table::{OpenOptions, Table};
pub use view::View;
