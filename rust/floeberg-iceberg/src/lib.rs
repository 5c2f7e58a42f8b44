//! The Iceberg table format: bytes, metadata, plans, rows.
//!
//! A module uses only those that are declared before it.

mod budget;
mod threads;
pub mod properties;
pub mod wire;
pub mod metadata;
pub mod plan;
pub mod read;
pub mod aggregate;
mod table;
mod scan;
pub mod inspect;
mod recipe;
mod statistics;
mod view;
pub mod write;
pub mod commit;

pub use recipe::{GroupRecipe, ReadRecipe};
pub use scan::{AppendsAfter, Scan, SnapshotChoice};
pub use table::{OpenOptions, Table};
pub use view::View;
