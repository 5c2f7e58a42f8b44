//! How is work done by a few threads, with results in order?
//!
//! [`ordered`] runs a function on each item of a list; an [`OrderedStream`] returns results while later ones are computed.
//!
//! Invariant: threads live for a call or for a stream, so nothing of them is there when a process forks.

mod each;
mod job;
mod part;
mod shared;
mod worker;
mod stream;

#[cfg(test)]
mod tests;

pub use each::ordered;
pub use job::{Ahead, Job};
pub use stream::OrderedStream;
