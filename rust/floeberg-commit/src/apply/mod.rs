//! What is the metadata of a table after updates?
//!
//! In: the metadata before, and updates. Out: the metadata after them. A file a part of the metadata.

mod logs;
mod builder;
mod schemas;
mod snapshots;
mod statistics;
mod structure;

pub(crate) use builder::TableMetadataBuilder;
pub use builder::{Previous, apply};
pub(crate) use schemas::{named, next_id};
