//! Which rows did the snapshots after one, up to another, insert, delete and update?
//!
//! - `range`: the snapshots, each with the one before it.
//! - `appends`: which snapshots are proven to have only added files.
//! - `step`: a snapshot whose changes are read: its files, and how its rows are told apart.
//! - `diff`: the files of which rows came or went between two snapshots, with the rows.
//! - `columns`: the columns that are read, and those of the result.
//! - `planned_steps`: the steps of a range, each planned when it is reached.
//! - `read_job`: the rows of a file that changed.
//! - `open_step`: the rows of a snapshot of which some were only carried over.
//! - `stream`: the changes as one stream.
//! - `scan`: the facade.
//! - `changed_cells`: rows before and after, side by side, with the columns that changed.
//! - `difference_stream`: the differences of two snapshots as one stream.
//! - `common_schema`: the schema in which rows of two snapshots are compared.
//! - `difference`: what differs between any two snapshots, the other facade.
//!
//! Spec: Reserved Field IDs (`_change_type`, `_change_ordinal`, `_commit_snapshot_id`); Row Lineage; Snapshots (`operation`).
//!
//! Invariant: the rows at the start, without the deleted ones and with the inserted ones, are the rows at the end.

mod range;
mod appends;
mod step;
mod diff;
mod columns;
mod planned_steps;
mod read_job;
mod open_step;
mod stream;
mod scan;
mod changed_cells;
mod difference_stream;
mod common_schema;
mod difference;

pub(crate) use columns::SentColumns;
pub(crate) use diff::changed_in_both;
pub(crate) use difference::SentDifference;
pub(crate) use read_job::changed_rows_of;
pub(crate) use step::{ChangedFile, ChangedRows, StepReaders};

pub use diff::DifferingFiles;
pub use difference::{Difference, FilesOfBoth};
pub use difference_stream::DifferenceStream;
pub use scan::{ChangelogScan, ChangingSnapshot};
pub use stream::ChangelogStream;
