//! What do statistics say of a snapshot: distinct values of columns, and counts of partitions?
//!
//! A module uses only modules that are declared before it.
//!
//! - `sketch`: a theta sketch of values.
//! - `values`: the values of an array, as the bytes that a sketch takes.
//! - `columns`: which columns are sketched.
//! - `distinct`: the sketches of the columns of a snapshot.
//! - `counts`: the counts of one partition, and how they add up.
//! - `entries`: the counts of the partitions that some manifests name.
//! - `changes`: the counts of an older statistics file, and what snapshots changed since.
//! - `partitions`: the counts of the partitions of a snapshot.

mod sketch;
mod values;
mod columns;
mod distinct;
mod counts;
mod entries;
mod changes;
mod partitions;

#[cfg(test)]
mod tests;

pub use distinct::{ColumnSketches, sketch_columns};
pub use partitions::{PartitionCounts, partition_counts};
