//! How are rows sorted by several workers?
//!
//! ```text
//! sample    keys of some rows, by the workers that read           ->  ends of ranges, of about equal numbers of rows
//! spread    rows, by these workers, in pieces of one range each   ->  exchanged by the engine
//! gather    the pieces of a range, by one worker                  ->  sorted, and written to files of its own
//! ```
//!
//! A module uses only modules that are declared before it.
//!
//! - `sample`: keys of some rows.
//! - `ends`: where ranges end.
//! - `pieces`: rows as bytes.
//! - `held`: rows that wait until they are a piece.
//! - `spread`: the rows of a group, in pieces.
//! - `gather`: pieces to files.

mod sample;
mod ends;
mod pieces;
mod held;
mod spread;
mod gather;

#[cfg(test)]
mod tests;

pub(crate) use held::HeldRows;
pub(crate) use pieces::from_bytes;

pub use ends::range_ends;
pub use gather::gather_rows;
pub use sample::{KeySample, sample_keys};
pub use spread::SpreadRows;
