//! How are row groups of other files written again without decoding them?
//!
//! In: a file of the same table. Out: which of its columns can be copied as bytes, and a file of such columns, with the others encoded.

mod same_column;
mod chunk;
mod stored_file;
mod copy_writer;
mod copy_layout;

pub use copy_layout::CopyLayout;
pub use copy_writer::CopyWriter;
pub use stored_file::{StoredFile, StoredGroup};
