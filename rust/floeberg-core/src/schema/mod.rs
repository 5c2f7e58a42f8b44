//! What columns does a table have, and of which types?

mod field;
pub mod json;
mod near;
mod promotion;
mod table_schema;
mod type_string;
mod types;

#[cfg(test)]
mod tests;

pub use field::Field;
pub use near::unknown_column;
pub use promotion::promotes_to;
pub use table_schema::{Schema, is_nested};
pub use types::{ListType, MapType, PrimitiveType, StructType, Type};
