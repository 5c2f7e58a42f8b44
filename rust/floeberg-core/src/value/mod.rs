//! What values do the formats have, and how are they written and ordered?
//!
//! `literal` is a value, `single_value` its bytes in bounds. `ordering` compares values, `partition_key` compares partitions.
//! `datetime` and `decimal` are arithmetic.

mod bytes_text;
pub mod datetime;
pub mod decimal;
pub mod geo_bound;
mod literal;
mod display;
pub mod ordering;
pub(crate) mod partition_key;
pub mod single_value;
mod wkb;

#[cfg(test)]
pub(crate) mod tests;

pub use bytes_text::{format_hex, format_uuid, parse_hex, parse_uuid};
pub use literal::Value;
pub use partition_key::{PartitionKey, equal_for_partition};
pub use wkb::check_wkb;
