//! How are the objects of the model written as JSON, and read?
//!
//! One file per object. Errors say where in a document they are.
//! Spec: Appendix C.

mod chosen;
mod counters;
mod emit;
mod log;
mod partition;
mod refs;
mod schema;
mod snapshot;
mod snapshot_text;
mod sort;
mod statistics;
mod table;
mod view_version;
mod view;
mod write;
mod text;

pub use emit::{ObjectWriter, emit_map};
pub use partition::{emit_fields, emit_spec, parse_spec};
pub use refs::{emit_ref, parse_kind, parse_ref};
pub use schema::parse_schema;
pub use snapshot::{emit_snapshot, parse_snapshot};
pub use sort::{emit_order, parse_order};
pub use table::parse_table_metadata;
pub use view::parse_view_metadata;
pub use view_version::{emit_version, parse_version};

#[cfg(test)]
mod tests;
