//! Which rows of a file are deleted, and how are they dropped from a batch?
//!
//! `deleted` is a set of positions, `kept_rows` a mask of the remaining rows, `compact` drops the others from a batch. `keys` is
//! the map of keys of equality deletes, and the index of the keys of a source, and numbers of whole rows.

mod compact;
mod deleted;
mod kept_rows;
mod keys;

#[cfg(test)]
mod tests;

pub use deleted::{DeletedRows, RangeMask};
pub use kept_rows::KeptRows;
pub use keys::{DeletedKeys, KeyIndex, NO_ROW, RowHashes};
