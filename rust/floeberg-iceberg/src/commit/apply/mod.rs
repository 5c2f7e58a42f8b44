//! Updates become the metadata of a table.

mod logs;
mod builder;
mod schemas;
mod snapshots;
mod statistics;
mod structure;

pub(crate) use builder::TableMetadataBuilder;
pub use builder::{Previous, apply};
