//! Rows to data files.

mod matching;
mod receipt;

pub use matching::Matching;
pub use receipt::{Receipt, WrittenFile};
