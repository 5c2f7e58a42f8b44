//! The Iceberg table format: bytes, metadata, plans, rows.
//!
//! A module uses only what stands to its left: `wire < metadata < plan < read`.

pub mod metadata;
pub mod plan;
pub mod read;
pub mod wire;
