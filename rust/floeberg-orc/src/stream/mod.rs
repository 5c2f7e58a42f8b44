//! The bytes of a stream, decompressed block by block.

mod blocks;
mod bytes;
mod inflate;

pub(crate) use blocks::Blocks;
pub(crate) use bytes::{ByteStream, unzigzag};
pub(crate) use inflate::Inflater;

#[cfg(test)]
mod tests;
