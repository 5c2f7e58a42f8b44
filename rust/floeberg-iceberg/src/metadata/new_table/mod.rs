//! What does a new table look like: schema, partition spec and sort order?
//!
//! In: a schema, and what a user says of partitions and order, by names or ids of its columns. Out: the three as metadata has
//! them, with fresh ids.
//! Spec: Partitioning; Partition Evolution; Sorting.
//!
//! Invariant: what is built can be written: transforms that are not known, and columns that cannot be partitioned or
//! sorted by, are refused.

mod column;
mod partition;
mod sort;
mod text;
mod table;

#[cfg(test)]
mod tests;

pub use column::ColumnChoice;
pub use partition::are_equal;
pub use partition::{DeclaredPartition, SpecBuilder};
pub use sort::{DeclaredSort, build_sort_order};
pub use table::{DeclaredTable, declare_table};
