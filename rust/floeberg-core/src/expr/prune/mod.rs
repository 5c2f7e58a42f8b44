//! Can statistics alone answer a filter?

mod bounds;
mod columns;
mod known;
mod may_match;
mod mismatch;
mod must_match;
#[cfg(test)]
mod tests;
mod typed;

pub use columns::{StatsColumn, StatsColumns, explain_mismatches};
pub use may_match::may_match;
pub use mismatch::{Mismatch, MismatchReason, explain_mismatch};
pub use must_match::must_match;
