//! The Iceberg table format: bytes, metadata, plans, rows.
//!
//! A module uses only what stands to its left: `wire < metadata < plan < read`; `table`, `scan` and `recipe` stand above
//! them all.

mod budget;
pub mod metadata;
pub mod plan;
pub mod read;
mod recipe;
mod scan;
mod table;
pub mod wire;

pub use recipe::{GroupRecipe, ReadRecipe};
pub use scan::{Scan, SnapshotChoice};
pub use table::{OpenOptions, Table};
