//! What values do the formats have, and how are they written and ordered?
//!
//! `literal` is a value, `arrow` a column of them. `single_value` and `json` are the two serializations of the specification,
//! `ordering` compares values, `partition_key` compares partitions. `datetime` and `decimal` are
//! arithmetic.

mod bytes_text;
pub mod datetime;
pub mod decimal;
pub mod geo_bound;
mod literal;
pub mod arrow;
mod display;
pub mod json;
pub mod ordering;
mod partition_key;
mod partition_numbers;
pub mod single_value;
mod wkb;

#[cfg(test)]
pub(crate) mod tests;

pub use bytes_text::{format_hex, format_uuid, parse_hex, parse_uuid};
pub use literal::Value;
pub use partition_key::{PartitionKey, equal_for_partition};
pub use partition_numbers::PartitionNumbers;
pub use wkb::check_wkb;
