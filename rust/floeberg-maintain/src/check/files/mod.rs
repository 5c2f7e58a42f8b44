//! What is wrong with the files that manifests name, and with their rows?
//!
//! In: an entry, and its file. Out: findings.
//! Spec: Data File Fields; Column Projection; Deletion Vectors; Delete Formats; Table Statistics.
//!
//! A module uses only modules that are declared before it.
//!
//! - `entry`: what an entry says of a file.
//! - `puffin`: deletion vectors, and the footers of Puffin files.
//! - `footer`: sizes, row counts, columns.
//! - `leaf`: the values of a column against its counts and bounds.
//! - `partition`: the values of rows against the partition of their file.
//! - `order`: the order of rows.
//! - `rows`: all rows of a data file, or of a file of equality deletes.
//! - `positions`: all rows of a file of position deletes.
//! - `one`: a whole file.
//! - `statistics`: statistics files.

mod entry;
mod puffin;
mod footer;
mod leaf;
mod partition;
mod order;
mod rows;
mod positions;
mod one;
mod statistics;

pub(super) use entry::FileEntry;
pub(super) use one::{FileChecks, check_file};
pub(crate) use positions::position_schema;
pub(crate) use puffin::footer_of;
pub(crate) use rows::present;
pub(super) use statistics::check_statistics_files;
