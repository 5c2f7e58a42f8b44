//! How do tasks become Arrow batches?

mod open;
mod request;
mod deletes;
mod deleted_column;
mod task_rows;
mod table_reader;
mod file_constants;
mod open_task;
mod count;
mod deleted_positions;
mod deleted_words;
mod shapes;
mod stream;
mod task;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use self::deletes::{ListedDeletes, key_field};
pub use count::{count_left, count_rows};
pub use deleted_positions::deleted_positions;
pub use deleted_words::deleted_words;
pub use open::FileAccess;
pub(crate) use open::Names;
pub use request::ReadRequest;
pub use shapes::{Shapes, stored_shapes};
pub use stream::{BatchStream, first_rows, stream, task_stream};
pub use table_reader::TableReader;
pub use task::{TaskBatches, read_rows, read_rows_except, read_task};
