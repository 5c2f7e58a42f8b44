//! How do tasks become Arrow batches?

mod avro;
mod coalesce;
mod count;
mod deletes;
mod file;
mod filter;
mod metadata_columns;
mod open_task;
mod orc;
mod parquet;
mod project;
mod request;
mod stream;
mod task;
mod task_rows;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use self::deletes::{ListedDeletes, key_field};
pub use self::parquet::hush_fenced_panics;
pub use count::{count_left, count_rows};
pub use request::ReadRequest;
pub use stream::{BatchStream, stream};
pub use task::{TaskBatches, read_task};
