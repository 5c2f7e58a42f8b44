//! How does a schema change?
//!
//! In: a schema, and a list of changes as data. Out: the schema after all of them, or an error that names the column.
//! Spec: Schema Evolution; Default values; Identifier Field IDs.
//!
//! Invariant: a column keeps its id, a new one gets an id that was never given, and changes say what they want by name alone,
//! so that they can be made again on a newer schema.

mod draft;
mod change;
mod evolution;
mod add;
mod json;
mod promoted;
mod alter;
mod reorder;
mod union;

#[cfg(test)]
mod tests;

pub use change::{AddedColumn, SchemaChange, SchemaChanges};
pub use evolution::{ColumnUse, Evolution, Evolved};
