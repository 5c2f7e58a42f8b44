//! How do rows of a user become rows of the table?
//!
//! In: a table's schema, and Arrow batches of any schema that fits it. Out: the same rows with the Arrow schema of the table.
//! Spec: Default values (writers); Schemas and Data Types; Appendix A.
//!
//! Invariant: no value is changed, truncated or guessed. Columns that do not fit are one error before the first row; a value that
//! does not fit is an error with its column and row.

mod fault;
mod checked;
mod identity;
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
