//! Rows to data files.

mod matching;
mod receipt;

pub use matching::{Matching, columns_to_add};
pub use receipt::{Receipt, WrittenFile};
