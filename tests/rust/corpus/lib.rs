//! What is in the conformance corpus?
//!
//! In: nothing; the corpus lies in `tests/conformance`. Out: its [`Case`]s with what their oracle says.
//!
//! Invariant: a case that cannot be loaded stops the tests; none is left out silently.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod case;
mod known;
mod lance;

pub use case::{Case, cases};
pub use known::{Failure, known_failures};
pub use lance::{LanceCase, lance_cases};
