//! Which rows have a key: one that equality deletes delete, or one of a source? Which rows are equal?

mod hashing;
mod columns;
mod numbers;
mod fixed_keys;
mod row_keys;
mod deleted_keys;
mod key_filter;
mod key_index;
mod row_hashes;

pub use deleted_keys::DeletedKeys;
pub use key_index::{KeyIndex, NO_ROW};
pub use row_hashes::RowHashes;
