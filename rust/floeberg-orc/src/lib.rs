//! Which columns and stripes does an ORC file have, and what are the rows of a stripe?
//!
//! Supports ORC and the attributes of Iceberg for ORC types, but does not depend on tables.
//!
//! A module uses only modules that are declared before it; `testing` is for tests and fuzzers.
//!
//! - `testing`: parts of a file, each on its own.
//! - `wire`: protocol buffers to the raw structures of a file's end and of a stripe's footer.
//! - `read`: files, read: their columns as Arrow types, stripes and batches. ORC files are not written.

#[doc(hidden)]
pub mod testing;
mod wire;
mod read;

pub use read::{OrcFile, Stripe, StripeReader};
