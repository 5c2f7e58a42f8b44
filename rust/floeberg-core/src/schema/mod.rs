//! What columns does a table have, and of which types?

mod field;
mod near;
mod table_schema;
mod types;

pub use field::Field;
pub use near::unknown_column;
pub use table_schema::{Schema, is_nested};
pub use types::{ListType, MapType, PrimitiveType, StructType, Type};
