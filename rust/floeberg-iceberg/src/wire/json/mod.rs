//! The JSON that tables are described by: its text, and its fields by key.

mod path;
mod object;
mod text;
mod apart;
mod value;

pub use apart::{ReadElement, parse_apart};
pub use object::ObjectReader;
pub use path::JsonPath;
pub use text::{MAX_METADATA_BYTES, check_readable, parse_json};
pub use value::{boolean, int, list, long, object, raw, string, string_map};

#[cfg(test)]
mod tests;
