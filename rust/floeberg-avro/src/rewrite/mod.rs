//! How are single values of an Avro file replaced?
//!
//! In: the bytes of a whole file, and the fields whose values may change. Out: a file with the same header and the same records, where
//! only these values differ.
//! Spec: Avro 1.12, Object Container Files.
//!
//! Invariant: all other values stay byte for byte, those of unknown fields among them. Memory holds one block.
//!
//! - `change`: what is found, and what it becomes.
//! - `step`: how the bytes of a record are copied.
//! - `file`: a whole file.

mod change;
mod step;
mod file;

pub use change::{Change, Found, FoundValue};
pub use file::rewrite;

#[cfg(test)]
mod tests;
