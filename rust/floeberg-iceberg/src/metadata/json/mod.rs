//! The model from its JSON, and back: one file per object.

mod chosen;
mod emit;
mod log;
mod partition;
mod refs;
mod schema;
mod snapshot;
mod sort;
mod statistics;
mod table;
mod view;
mod view_version;
mod write;

pub(super) use partition::emit_fields;
pub use table::parse_table_metadata;
pub use view::parse_view_metadata;

#[cfg(test)]
mod tests;
