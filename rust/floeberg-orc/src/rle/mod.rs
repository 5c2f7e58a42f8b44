//! Runs of bytes, bits and integers.

mod bits;
mod bytes;
mod integers;
mod packed;
mod runs;

pub(crate) use bits::Bits;
pub(crate) use bytes::ByteRuns;
pub(crate) use integers::Integers;

#[cfg(test)]
mod tests;
