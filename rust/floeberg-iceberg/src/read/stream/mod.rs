//! How do many threads read one ordered stream of batches?

mod batch_stream;
mod part;
mod shared;
mod worker;

#[cfg(test)]
mod tests;

pub use batch_stream::{BatchStream, stream};
