//! How do tasks become Arrow batches?

mod coalesce;
mod count;
mod deletes;
mod file;
mod filter;
mod groups;
mod left_rows;
mod open_task;
mod pages;
mod project;
mod request;
mod row_group;
mod statistics;
mod stream;
mod task;

#[cfg(test)]
mod tests;

pub use count::count_rows;
pub use file::hush_fenced_panics;
pub use request::ReadRequest;
pub use stream::{BatchStream, stream};
pub use task::{TaskBatches, read_task};
