//! Delete files, copied with other paths of data files in them.
//!
//! `rows` copies files of position deletes, whose rows name data files, and `vectors` Puffin files, whose footer does.

mod copied;
mod rows;
mod vectors;

pub use copied::CopiedFile;
pub use rows::{RowsToCopy, copy_position_deletes};
pub use vectors::copy_vectors;

#[cfg(test)]
mod tests;
