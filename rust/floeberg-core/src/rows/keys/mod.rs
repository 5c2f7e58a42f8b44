//! Which rows have a key: one that equality deletes delete, or one of a source?

mod hashing;
mod columns;
mod numbers;
mod fixed_keys;
mod row_keys;
mod deleted_keys;
mod key_index;

pub use deleted_keys::DeletedKeys;
pub use key_index::{KeyIndex, NO_ROW};
