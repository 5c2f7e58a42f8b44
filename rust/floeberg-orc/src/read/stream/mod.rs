//! What are the bytes of a stream?
//!
//! They are decompressed block by block.

mod inflate;
mod blocks;
mod bytes;

pub(crate) use blocks::Blocks;
pub(crate) use bytes::{ByteStream, unzigzag};
pub(crate) use inflate::Inflater;

#[cfg(test)]
mod tests;
