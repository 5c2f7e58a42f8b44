//! The Iceberg table format: bytes, metadata, plans, rows.
//!
//! A module uses only what stands to its left: `wire < metadata < plan < read < write < aggregate`; `table`, `view`,
//! `scan`, `inspect`, `recipe` and `commit` stand above them all.

pub mod aggregate;
mod budget;
pub mod commit;
pub mod inspect;
pub mod metadata;
pub mod plan;
pub mod read;
mod recipe;
mod scan;
mod statistics;
mod table;
mod threads;
mod view;
pub mod wire;
pub mod write;

pub use recipe::{GroupRecipe, ReadRecipe};
pub use scan::{AppendsAfter, Scan, SnapshotChoice};
pub use table::{OpenOptions, Table};
pub use view::View;
