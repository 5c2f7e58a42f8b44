#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bounds;
mod deletes;
mod parallel;
mod split;
mod summary;
