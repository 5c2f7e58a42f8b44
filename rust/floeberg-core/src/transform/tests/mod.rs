//! Tests of transforms.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod apply;
mod arrays;
mod bucket;
mod name;
