#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bounds;
mod chunk;
mod deletes;
mod even;
mod key_stats;
mod parallel;
mod specs;
mod split;
mod summary;
