//! Which ids do rows have that stay with them?
//!
//! In: sequences of a manifest. Out: ids and versions by row, and rows by id.
//!
//! Invariant: nothing is made as long as a sequence claims to be before its length was checked against the rows of its fragment.

mod array;
mod segment;
mod sequence;
mod versions;
mod lookup;

#[cfg(test)]
mod tests;

pub use array::PackedArray;
pub use lookup::RowIdIndex;
pub use segment::Segment;
pub use sequence::RowIds;
pub use versions::RowVersions;
