//! Can statistics alone answer a filter?

mod known;
mod bounds;
mod may_match;
mod mismatch;
mod must_match;
mod columns;
mod typed;
#[cfg(test)]
mod tests;

pub use columns::{StatsColumn, StatsColumns, explain_mismatches, must_match_each};
pub use may_match::may_match;
pub use mismatch::{Mismatch, MismatchReason, explain_mismatch};
pub use must_match::must_match;
