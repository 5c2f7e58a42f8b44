//! Which rows of a file are deleted, and what is left of a batch without them?

mod compact;
mod deleted;
mod kept_rows;
mod keys;

#[cfg(test)]
mod tests;

pub use deleted::{DeletedRows, Kept};
pub use kept_rows::KeptRows;
pub use keys::DeletedKeys;
