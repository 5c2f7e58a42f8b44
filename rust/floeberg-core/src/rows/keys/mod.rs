//! Which rows have a key that equality deletes delete?

mod hashing;
mod columns;
mod numbers;
mod fixed_keys;
mod row_keys;
mod deleted_keys;

pub use deleted_keys::DeletedKeys;
