//! Tests of values in Arrow arrays.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod arrow;
mod partition_numbers;
