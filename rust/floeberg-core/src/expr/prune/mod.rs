//! Can statistics alone answer a filter?

mod known;
mod bounds;
mod mismatch_reason;
mod may_match;
mod mismatch;
mod must_match;
mod typed;
mod columns;
#[cfg(test)]
mod tests;

pub use columns::{explain_mismatches, must_match_each};
pub use may_match::may_match;
pub use mismatch::{Mismatch, explain_mismatch};
pub use mismatch_reason::MismatchReason;
pub use must_match::must_match;
