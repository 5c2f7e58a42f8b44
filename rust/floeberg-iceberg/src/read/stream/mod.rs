//! How do many threads read one ordered stream of batches?

mod read_job;
mod batch_stream;

#[cfg(test)]
mod tests;

pub use batch_stream::{BatchStream, first_rows, stream, task_stream};
