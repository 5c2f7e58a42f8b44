//! Which columns and stripes does an ORC file have, and what are the rows of a stripe?
//!
//! Supports ORC and the attributes of Iceberg for ORC types, but does not depend on tables.
//!
//! A module uses only modules that are declared before it; `testing` is for tests and fuzzers.
//!
//! - `testing`: parts of a file, each on its own.
//! - `wire`: protocol buffers to the raw structures of a file's end and of a stripe's footer.
//! - `schema`: the tree of columns with field ids, as Arrow types.
//! - `stream`: the bytes of a stream, decompressed block by block.
//! - `rle`: runs of bytes, bits and integers, in both versions.
//! - `column`: from streams to arrays, a file a family of types.
//! - `file`: the end of a file, its stripes, and the batches of one.

#[doc(hidden)]
pub mod testing;
mod wire;
mod schema;
mod stream;
mod rle;
mod column;
mod file;

pub use file::{OrcFile, Stripe, StripeReader};
