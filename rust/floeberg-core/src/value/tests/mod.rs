//! Tests of values.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod arrow;
mod datetime;
mod decimal;
mod display;
mod geo_bound;
mod json;
mod ordering;
mod partition_key;
mod partition_numbers;
mod single_value;
pub(crate) mod strategies;
mod wkb;
