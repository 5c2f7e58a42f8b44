//! The model from its JSON, and back: one file per object.

mod chosen;
mod counters;
mod emit;
mod log;
mod partition;
mod refs;
mod schema;
mod snapshot;
mod sort;
mod statistics;
mod table;
mod view_version;
mod view;
mod write;

pub(crate) use emit::{ObjectWriter, emit_map};
pub(crate) use partition::{emit_fields, emit_spec, parse_spec};
pub(crate) use refs::{emit_ref, parse_ref};
pub(crate) use schema::parse_schema;
pub(crate) use snapshot::{emit_snapshot, parse_snapshot};
pub(crate) use sort::{emit_order, parse_order};
pub use table::parse_table_metadata;
pub use view::parse_view_metadata;

#[cfg(test)]
mod tests;
