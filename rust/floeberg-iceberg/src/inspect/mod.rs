//! Which metadata tables does a table have, and what is in them?

mod column_order;
mod kind;
mod partition_column;
mod readable_metrics;
mod rows;
mod history;
mod metadata_log_entries;
mod refs;
mod snapshots;
mod source;
mod data_file;
mod entries;
mod manifest_stream;
mod manifests;
mod partitions;
mod position_deletes;
mod inspection;

#[cfg(test)]
mod tests;

pub use inspection::{Inspection, MetadataRows};
pub use kind::{FileScope, MetadataTable};
