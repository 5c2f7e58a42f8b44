//! How do many threads read one ordered stream of batches?

mod batch_stream;
mod read_job;

#[cfg(test)]
mod tests;

pub use batch_stream::{BatchStream, stream};
