//! Which columns and stripes does an ORC file have, what are the rows of a stripe, and how are rows stored?
//!
//! Supports ORC and the attributes of Iceberg for ORC types, but does not depend on tables.
//!
//! A module uses only modules that are declared before it; `testing` is for tests and fuzzers.
//!
//! - `testing`: parts of a file, each on its own.
//! - `wire`: protocol buffers to the raw structures of a file's end and of a stripe's footer.
//! - `bloom`: bloom filters of row groups.
//! - `read`: files, read: their columns as Arrow types, stripes and batches.
//! - `write`: files, written: arrays to columns of a stripe, and stripes to a file.

#[doc(hidden)]
pub mod testing;
mod wire;
mod bloom;
mod read;
pub mod write;

pub use read::{GroupRange, OrcFile, Stripe, StripeIndex, StripeReader};
pub use wire::Compression;
