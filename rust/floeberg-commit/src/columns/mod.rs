//! Do the columns of an operation and of its files still mean the same?
//!
//! - `schema_and_spec`: checks that files fit the schema and the specs of the table that they are added to.
//! - `column_binding`: the columns that an operation was made for, and their names now.

mod schema_and_spec;
mod column_binding;

pub(crate) use column_binding::{ColumnsAtStart, check_columns, check_names, with_names_of_now};
pub(crate) use schema_and_spec::{FileOrigin, check_schema_and_spec, fits_always};
