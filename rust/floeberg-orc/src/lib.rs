//! ORC files: which columns and stripes does a file have, and what are the rows of a stripe?
//!
//! Knows ORC and the attributes that Iceberg gives to ORC's types, and nothing of tables. A module uses only what
//! stands to its left: `wire < stream < rle < schema < column < file`;
//! `testing` shows parts of a file to tests and fuzzers.

#[doc(hidden)]
pub mod testing;
mod wire;
mod schema;
mod stream;
mod rle;
mod column;
mod file;

pub use file::{OrcFile, Stripe, StripeReader};
