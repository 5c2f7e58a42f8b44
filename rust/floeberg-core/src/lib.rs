//! Which rules need no table and no file: types, values, expressions, pruning and row masks?
//!
//! Plain functions over bytes and values: no I/O, no runtime, no Python. Most serve every table format. `transform`,
//! `variant`, name mappings and the JSON of schemas and values are Iceberg's own.
//!
//! A module uses only modules that are declared before it.
//!
//! - `error`: one error type, of a kind, a message, a context, a retry flag and a cause. Kinds are a closed set.
//! - `finding`: what a check of a table finds, by which rule.
//! - `cancel`: the flag that long work checks between its steps.
//! - `fence`: the one place where a panic becomes an error.
//! - `rows`: which rows of a file are deleted, and masks of the remaining rows.
//! - `primitive`: types of values without parts.
//! - `value`: values, their order and their bytes.
//! - `schema`: types, fields and schemas; their JSON, Arrow form, selection and changes.
//! - `arrow_values`: values as Arrow arrays, and elements of arrays as values.
//! - `transform`: partition transforms of values and of Arrow arrays.
//! - `variant`: variants, read from the columns that files store, and written to them.
//! - `expr`: filters: read, bound, projected, tested on statistics and on rows.
//! - `engine_schema`: batches with the types of an engine, which differ from the table's: Spark's.

pub mod error;
pub mod finding;
pub mod cancel;
mod fence;
pub mod rows;
pub mod primitive;
pub mod value;
pub mod schema;
pub mod arrow_values;
pub mod transform;
pub mod variant;
pub mod expr;
pub mod engine_schema;

pub use cancel::Cancel;
pub use error::{Context, Error, ErrorKind, Result};
pub use fence::{fenced, panic_text};
