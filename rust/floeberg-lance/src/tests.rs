//! Tables that are made in memory.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod appended;
mod opening;
mod refused;
pub(crate) mod tables;
