//! How do variants become the columns that files store them as, and these become variants?
//!
//! A variant is two byte strings: a dictionary of field names, `metadata`, and a `value`. Files may store parts of
//! values as typed columns beside them, which is called shredding. Readers find a [`Layout`] in a file; writers make
//! up a [`Shape`] for one. [`Variants`] are built of values, and a [`Checker`] says whether what others built is one.
//!
//! `layout` says which columns of a file are a variant, `unshred` puts it together again. `infer` finds out what
//! variants have in common, `shape` is what they are shredded as, `shred` does it, `bounds` is what manifests say of
//! their fields.

mod bytes;
mod layout;
mod unshredded;
mod value;
mod dictionary;
mod encode;
mod bounds;
mod build;
mod columns;
mod scalar;
mod check;
mod scalar_column;
mod shape;
mod infer;
mod shredded_columns;
mod shred;
mod unshred;

#[cfg(test)]
mod tests;

pub use bounds::{Bounds, path_of};
pub use build::{VariantValue, Variants};
pub use check::Checker;
pub use layout::Layout;
pub use shape::Shape;
pub use shred::Shredded;

/// How deep values may nest: what is written is read again, and `floeberg.variant` reads no deeper.
pub const MOST_DEPTH: usize = 200;
