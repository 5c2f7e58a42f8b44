//! Deleted rows to delete files: vectors, positions, keys.
//!
//! A [`DeleteRecipe`] is what is the same for all delete files of one write. [`write_vectors`] and [`write_positions`] take the
//! positions of deleted rows by data file, an [`EqualityWriter`] takes the keys of deleted rows. All give receipts.

mod recipe;
mod deleted;
mod vectors;
mod position_rows;
mod positions;
mod keys;
mod equality;

pub use deleted::DeletedPositions;
pub use equality::EqualityWriter;
pub use positions::write_positions;
pub use recipe::DeleteRecipe;
pub use vectors::write_vectors;
