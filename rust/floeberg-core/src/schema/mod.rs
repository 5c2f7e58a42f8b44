//! What columns does a table have, and of which types?

pub mod arrow;
mod assign_ids;
mod check;
pub mod evolve;
mod field;
pub mod from_arrow;
pub mod json;
pub mod name_mapping;
mod near;
mod promotion;
pub mod reserved;
mod select;
mod table_schema;
mod type_string;
mod types;

#[cfg(test)]
mod tests;

pub use assign_ids::FreshIds;
pub use field::Field;
pub use name_mapping::NameMapping;
pub use near::unknown_column;
pub use promotion::promotes_to;
pub use table_schema::{Schema, is_nested};
pub use type_string::near_type;
pub use types::{DEFAULT_CRS, ListType, MapType, PrimitiveType, StructType, Type};
