//! Tables that are made in memory.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod appended;
mod opening;
mod refused;
mod standing;
pub(crate) mod tables;
