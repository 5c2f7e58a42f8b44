#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod appends;
mod creation;
mod isolation;
mod kit;
mod removals;
mod retries;
mod schemas;
mod updates;
