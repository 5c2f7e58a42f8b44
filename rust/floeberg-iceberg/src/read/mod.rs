//! How do tasks become Arrow batches?

mod coalesce;
mod request;
mod filter;
mod metadata_columns;
mod file;
mod avro;
mod orc;
mod project;
mod deletes;
mod parquet;
mod task_rows;
mod open_task;
mod count;
mod stream;
mod task;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use self::deletes::{ListedDeletes, key_field};
pub use self::parquet::hush_fenced_panics;
pub use count::{count_left, count_rows};
pub use request::ReadRequest;
pub use stream::{BatchStream, stream};
pub use task::{TaskBatches, read_task};
