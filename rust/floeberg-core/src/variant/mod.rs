//! How are variants converted to the columns of a file, and back?
//!
//! A variant is two byte strings: a dictionary of field names, `metadata`, and a `value`. Files may store parts of
//! values as typed columns beside them, which is called shredding. Readers find a [`Layout`] in a file; writers choose
//! a [`Shape`] for one. [`Variants`] are built from values, and a [`Checker`] validates variants of others.
//!
//! `layout` finds the columns of a variant in a file, `unshred` reassembles it. `infer` finds the types that variants have in
//! common, `shape` has their shredded columns, `shred` fills these, `bounds` has the bounds of their fields in
//! manifests. `typed` finds a field by its `path`, in variants and in bounds.

mod bytes;
mod layout;
mod unshredded;
mod value;
mod dictionary;
mod encode;
mod bounds;
mod path;
mod build;
mod columns;
mod scalar;
mod typed;
mod check;
mod scalar_column;
mod shape;
mod infer;
mod shredded_columns;
mod shred;
mod unshred;

#[cfg(test)]
mod tests;

pub use bounds::{Bounds, path_of, primitive_of_column};
pub use build::{VariantValue, Variants};
pub use check::Checker;
pub use layout::Layout;
pub use path::VariantPath;
pub use shape::Shape;
pub use shred::Shredded;
pub use typed::{field_bounds, typed_field, value_in_type, variant_field};

/// How deep values may nest: written values must be readable, and `floeberg.variant` reads no deeper.
pub const MOST_DEPTH: usize = 200;
