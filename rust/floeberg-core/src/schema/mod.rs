//! What columns does a table have, and of which types?
//!
//! `table_schema` and `types` are the schema, `json` and `arrow` its other forms, `value_json` its defaults in JSON, `select`
//! a part of it.
//! `from_arrow` says which columns hold the rows of an Arrow schema, `check` what a schema must be to be written,
//! `promotion` which type may become which. `evolve` changes a schema by a list of changes, which can be made again
//! on a newer one.

mod did_you_mean;
mod types;
mod promotion;
pub mod reserved;
mod table_schema;
pub mod value_json;
pub mod arrow;
mod assign_ids;
pub mod json;
pub mod evolve;
pub mod from_arrow;
pub mod name_mapping;
mod select;
mod type_string;
mod check;

#[cfg(test)]
mod tests;

pub use assign_ids::FreshIds;
pub use did_you_mean::unknown_column;
pub use name_mapping::{MappedField, NameMapping};
pub use promotion::promotes_to;
pub use table_schema::{Schema, is_nested};
pub use type_string::near_type;
pub use types::{Field, ListType, MapType, StructType, Type};

pub use crate::primitive::{DEFAULT_CRS, PrimitiveType};
