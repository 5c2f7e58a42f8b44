//! Tests of values.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod datetime;
mod decimal;
mod display;
mod geo_bound;
mod ordering;
mod partition_key;
mod single_value;
pub(crate) mod strategies;
mod wkb;
