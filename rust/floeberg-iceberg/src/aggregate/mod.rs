//! What do counts, bounds and as few files as can be say of all rows of a scan?
//!
//! Invariant: an answer is what reading all rows gives. Metadata answers where the specification promises that it can, and
//! a file is left unread where metadata proves that it cannot change the answer.

mod result;
mod count;
mod best;
mod extreme;

pub use best::Extreme;
pub(crate) use count::count;
pub(crate) use extreme::{ExtremeRequest, column_of, extreme};
pub use result::{AggregateMetrics, AggregateResult};

#[cfg(test)]
mod tests;
