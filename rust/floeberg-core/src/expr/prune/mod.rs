//! Can statistics alone answer a filter?

mod bounds;
mod may_match;
mod mismatch;
mod must_match;
#[cfg(test)]
mod tests;

pub use may_match::may_match;
pub use mismatch::{Mismatch, MismatchReason, explain_mismatch};
pub use must_match::must_match;
