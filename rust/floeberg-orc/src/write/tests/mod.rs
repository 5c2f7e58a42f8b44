#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::from_iter_instead_of_collect)]

mod fixture;
mod runs;
mod files;
mod indexes;
