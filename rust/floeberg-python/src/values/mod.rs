//! How do filters, transforms and variants cross between Python and Rust?
//!
//! - `json`: JSON text.
//! - `expression`: filters, as text, JSON and trees.
//! - `sql_expression`: expressions of values.
//! - `casts`: values and rows in the types of a table.
//! - `transforms`: partition transforms of columns.
//! - `variant`: values of Python, as variants.
//! - `snapshots`: snapshots as values of Python.

pub mod json;
pub mod expression;
pub mod sql_expression;
pub mod casts;
pub mod transforms;
pub mod variant;
pub mod snapshots;
