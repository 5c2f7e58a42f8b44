#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;
mod runs;
mod files;
mod indexes;
