//! Which rows have a key that equality deletes delete?

mod columns;
mod deleted_keys;
mod fixed_keys;
mod hashing;
mod numbers;
mod row_keys;

pub use deleted_keys::DeletedKeys;
