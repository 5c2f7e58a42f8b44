//! Updates become the metadata of a table.

mod logs;
mod changing;
mod schemas;
mod snapshots;
mod statistics;
mod structure;

pub(crate) use changing::Changing;
pub use changing::{Previous, apply};
