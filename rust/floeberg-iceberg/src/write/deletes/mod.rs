//! Deleted rows to delete files: vectors, positions, keys.
//!
//! A [`DeleteRecipe`] is what is the same for all delete files of one write. [`write_vectors`] and [`write_positions`] take the
//! positions of deleted rows by data file, an [`EqualityWriter`] takes the keys of deleted rows, by a [`KeyRecipe`] in another process. All give
//! receipts.

mod recipe;
mod deleted;
mod vectors;
mod position_rows;
mod positions;
mod keys;
mod equality;
mod key_recipe;

pub use deleted::DeletedPositions;
pub use equality::EqualityWriter;
pub use key_recipe::KeyRecipe;
pub(crate) use position_rows::position_schema;
pub use positions::write_positions;
pub use recipe::DeleteRecipe;
pub(crate) use recipe::of_delete_files;
pub use vectors::write_vectors;
