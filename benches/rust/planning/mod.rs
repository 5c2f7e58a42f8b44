//! Tables of many files that do not exist, with bounds of 12 columns, partitioned by day and bucket.

mod bounds;
mod delete_files;
mod files;
mod metadata;
mod options;
mod random;
mod write;

pub use options::{Deletes, Order, TableOptions};
pub use write::{Written, manifest, write_table};
