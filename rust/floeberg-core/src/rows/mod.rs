//! Which rows of a file are deleted?

mod deleted;

#[cfg(test)]
mod tests;

pub use deleted::{DeletedRows, Kept};
