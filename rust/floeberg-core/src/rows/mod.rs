//! Which rows of a file are deleted, and what is left of a batch without them?
//!
//! `deleted` is a set of positions, `kept_rows` a mask of what is left, `compact` a batch without the others. In
//! `keys` is the map of keys that equality deletes delete.

mod compact;
mod deleted;
mod kept_rows;
mod keys;

#[cfg(test)]
mod tests;

pub use deleted::{DeletedRows, RangeMask};
pub use kept_rows::KeptRows;
pub use keys::DeletedKeys;
