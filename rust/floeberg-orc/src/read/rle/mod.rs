//! What do runs of bytes, bits and integers hold?
//!
//! Integers come in two versions of the encoding.

mod bytes;
mod bits;
mod packed;
mod runs;
mod integers;

pub(crate) use bits::Bits;
pub(crate) use bytes::ByteRuns;
pub(crate) use integers::Integers;
pub(crate) use packed::{width_code, written_width};

#[cfg(test)]
mod tests;
