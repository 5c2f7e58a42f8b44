//! The bytes of a stream, decompressed block by block.

mod inflate;
mod blocks;
mod bytes;

pub(crate) use blocks::Blocks;
pub(crate) use bytes::{ByteStream, unzigzag};
pub(crate) use inflate::Inflater;

#[cfg(test)]
mod tests;
