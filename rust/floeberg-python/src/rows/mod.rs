//! How do changes of rows come from Python?
//!
//! - `source`: the rows of a source.
//! - `new_value`: new values, conditions and clauses.
//! - `computed_columns`: what new values compute of rows.
//! - `functions`: functions of the user, which are called on the thread of the caller.
//! - `row_change`: what is done to which rows.
//! - `change_rows`: changes of rows of Iceberg tables.

pub mod source;
pub mod new_value;
pub mod computed_columns;
pub mod functions;
pub mod row_change;
pub mod change_rows;
