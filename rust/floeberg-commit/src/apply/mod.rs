//! What is the metadata of a table after updates, and how is it written?
//!
//! In: the metadata before, updates and requirements. Out: the metadata after them. A file a part of the metadata.
//!
//! - `update`: what a commit can change in a table.
//! - `update_json`: updates as the JSON of a REST catalog.
//! - `requirement`: what must still hold when a commit is applied.
//! - `requirement_json`: requirements as the JSON of a REST catalog.
//! - `logs`: the snapshot log and the metadata log.
//! - `repair`: parts of the metadata that a check found to be wrong.
//! - `builder`: updates to metadata, one after the other.
//! - `encryption_keys`, `schemas`, `snapshots`, `statistics`, `structure`: the updates of one part each.
//! - `metadata_file`: documents to metadata files.

mod update;
mod update_json;
mod requirement;
mod requirement_json;
mod logs;
mod repair;
mod builder;
mod encryption_keys;
mod schemas;
mod snapshots;
mod statistics;
mod structure;
mod metadata_file;

pub(crate) use builder::TableMetadataBuilder;
pub use builder::{Previous, apply};
pub use metadata_file::{write_document, write_table_metadata};
pub use repair::repair_metadata;
pub use requirement::Requirement;
pub(crate) use schemas::{named, next_id};
pub use update::{LAST_ADDED, Update};
pub use update_json::updates_to_json;
