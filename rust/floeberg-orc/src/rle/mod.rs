//! Runs of bytes, bits and integers.

mod bytes;
mod bits;
mod packed;
mod runs;
mod integers;

pub(crate) use bits::Bits;
pub(crate) use bytes::ByteRuns;
pub(crate) use integers::Integers;

#[cfg(test)]
mod tests;
