//! How are rows counted, and extremes found, with as few files as possible?
//!
//! Invariant: the result is that of reading all rows. Metadata is used only where the specification guarantees it, and a file is
//! skipped only if metadata proves that it cannot change the result.

mod result;
mod count;
mod best;
mod extreme;

pub use best::Extreme;
pub(crate) use best::best_of;
pub(crate) use count::count;
pub(crate) use extreme::{ExtremeRequest, column_of, extreme};
pub use result::{AggregateMetrics, AggregateResult};

#[cfg(test)]
mod tests;
