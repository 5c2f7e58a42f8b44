//! Tests of schemas and types.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod json;
mod promotion;
mod type_string;
