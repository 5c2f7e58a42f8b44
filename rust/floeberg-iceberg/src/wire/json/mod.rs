//! The JSON that tables are described by: its text, and its fields by key.

mod path;
mod object;
mod text;
mod value;

pub(crate) use object::ObjectReader;
pub(crate) use path::JsonPath;
pub(crate) use text::{MAX_METADATA_BYTES, check_readable, parse_json};
pub(crate) use value::{int, list, long, object, raw, string, string_map};

#[cfg(test)]
mod tests;
