//! How are the columns of an ORC file read?
//!
//! - `schema`: the tree of columns with field ids, as Arrow types.
//! - `statistics`: what statistics and bloom filters prove.
//! - `stream`: the bytes of a stream, decompressed block by block.
//! - `rle`: runs of bytes, bits and integers, in both versions.
//! - `column`: from streams to arrays, a file a family of types.
//! - `file`: the end of a file, its stripes, and the batches of one.

mod schema;
mod statistics;
pub(crate) mod stream;
pub(crate) mod rle;
mod column;
mod file;

pub use file::{GroupRange, OrcFile, Stripe, StripeIndex, StripeReader};
