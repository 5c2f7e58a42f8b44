//! What does a new table look like: schema, partition spec and sort order?
//!
//! In: a schema, and a user's partition and sort fields, by names or ids of columns. Out: the three for the metadata, with fresh
//! ids.
//! Spec: Partitioning; Partition Evolution; Sorting.
//!
//! Invariant: the result can be written: unknown transforms, and columns that cannot be partitioned or sorted by, are
//! refused.

mod column;
mod partition;
mod sort;
mod text;
mod order_text;
mod table;
mod replacement;

#[cfg(test)]
mod tests;

pub use column::{ColumnChoice, DeclaredSource};
pub use order_text::{DeclaredOrder, z_order_columns};
pub use partition::are_equal;
pub use partition::{DeclaredPartition, SpecBuilder};
pub(super) use partition::{WRITTEN, check_name, default_name, known_field, next_id, says_the_same};
pub use replacement::Replacement;
pub use sort::{DeclaredSort, build_sort_order};
pub use table::{DeclaredTable, declare_table};
pub(super) use text::parse_partition;
pub use text::parse_sorts;
