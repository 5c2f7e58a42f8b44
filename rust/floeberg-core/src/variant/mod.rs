//! How do the columns that files store variants as become variants?
//!
//! A variant is two byte strings: a dictionary of field names, `metadata`, and a `value`. Files may store parts of
//! values as typed columns beside them, which is called shredding.

mod columns;
mod containers;
mod dictionary;
mod encode;
mod layout;
mod unshred;
mod value;

#[cfg(test)]
mod tests;

pub use layout::Layout;
