//! How are partition and sort values computed from column values?
//!
//! `bucket`, `truncate` and `temporal` are the transforms. `apply` and `arrays` apply them to values and to Arrow arrays,
//! `name` parses and writes their names, `types` has their result types.

mod kind;
mod name;
pub mod temporal;
pub mod bucket;
pub mod truncate;
mod apply;
mod arrays;
mod types;

#[cfg(test)]
mod tests;

pub use kind::Transform;
