//! How do rows of a user become rows of the table?
//!
//! In: a table's schema, and Arrow batches of any schema that fits it. Out: the same rows in the table's Arrow form.
//! Spec: Default values (writers); Schemas and Data Types; Appendix A.
//!
//! Invariant: no value is changed, cut or guessed: what does not fit is an error, one for all columns before the first
//! row, or one that names column and row.

mod arrow_names;
mod fault;
mod bytes;
mod checked;
mod identity;
mod lists;
mod timestamps;
mod step;
mod convert;
mod leaf;
mod write_default;
mod resolve;
mod matched;
mod merge;

#[cfg(test)]
mod tests;

pub use matched::Matching;
pub use merge::columns_to_add;
