//! Rows to data files.

mod receipt;

pub use receipt::{Receipt, WrittenFile};
