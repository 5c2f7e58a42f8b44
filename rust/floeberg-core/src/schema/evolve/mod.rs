//! How does a schema change?
//!
//! In: a schema, and a list of changes as data. Out: the schema after all of them, or an error that names the column.
//! Spec: Schema Evolution; Default values; Identifier Field IDs.
//!
//! Invariant: a column keeps its id, and a new one gets a new id. Changes name columns only by name, so they can be applied again
//! to a newer schema.

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
