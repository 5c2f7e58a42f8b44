//! What does a table say of itself, as tables? Iceberg Java calls them metadata tables.

mod column_order;
mod data_file;
mod entries;
mod history;
mod inspection;
mod kind;
mod manifest_stream;
mod manifests;
mod metadata_log_entries;
mod partition_column;
mod partitions;
mod position_deletes;
mod readable_metrics;
mod refs;
mod rows;
mod snapshots;
mod source;

#[cfg(test)]
mod tests;

pub use inspection::{Inspection, MetadataRows};
pub use kind::{FileScope, MetadataTable};
