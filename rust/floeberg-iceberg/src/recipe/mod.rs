//! What does another process need to read a part of a scan?
//!
//! Bytes that hold everything: the schemas, the filter, the specs and the tasks, but no handle. A worker needs no table
//! metadata and no manifest.
//!
//! Invariant: a recipe that is read back reads the same rows.

mod fields;
mod read;
mod task;
mod group;
mod parts;

#[cfg(test)]
mod tests;

pub use group::GroupRecipe;
pub use read::ReadRecipe;
