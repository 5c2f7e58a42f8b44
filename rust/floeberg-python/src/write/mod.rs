//! How do rows of Python become files of a table?
//!
//! - `receipt`: files that a writer wrote, on their way to a commit.
//! - `writer`: rows to files of a table.

pub mod receipt;
pub mod writer;
