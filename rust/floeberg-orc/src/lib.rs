//! Which columns and stripes does an ORC file have, and what are the rows of a stripe?
//!
//! Knows ORC and the attributes that Iceberg gives to ORC's types, and nothing of tables.
//!
//! A module uses only those that are declared before it; `testing` is for tests and fuzzers.
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
