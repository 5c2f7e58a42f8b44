//! Which rows of a fragment are deleted?
//!
//! In: deletion files, of Arrow or of a Roaring bitmap. Out: the deleted rows, as places in the fragment; and back.
//!
//! Invariant: a delete that cannot be applied is an error.

mod arrow;
mod bitmap;
mod file;

#[cfg(test)]
mod tests;

pub(crate) use file::{bytes, check_header, rows_of};
pub use file::{decode, names, read, write};
