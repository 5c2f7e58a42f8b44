//! Tests of schemas and types.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod arrow;
mod check;
mod from_arrow;
mod json;
mod name_mapping;
mod name_mapping_evolved;
mod promotion;
mod reserved;
mod select;
mod type_string;
mod value_json;
