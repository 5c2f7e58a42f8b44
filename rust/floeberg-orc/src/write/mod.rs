//! How are ORC files written?
//!
//! - `compress`, `stream`: bytes to blocks, and places in them.
//! - `integers`, `bits`, `texts`, `times`: runs of values.
//! - `statistics`, `ends`: counts, and the least and the greatest value.
//! - `shape`: the types of a file.
//! - `encode`, `column`: from arrays to streams.
//! - `file`: stripes, and the end of a file.

mod compress;
mod stream;
mod integers;
mod bits;
mod texts;
mod times;
mod statistics;
mod ends;
mod shape;
mod encode;
mod column;
mod file;

pub use compress::Codec;
pub use file::{ColumnTotals, OrcShape, OrcWriter, ROW_GROUP, StripeColumn};

#[cfg(test)]
mod tests;
