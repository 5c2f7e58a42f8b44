//! How are partition and sort values made of column values?
//!
//! `bucket`, `truncate` and `temporal` are the transforms, `apply` and `arrays` make them of values and of Arrow
//! arrays, `name` reads and writes them, `types` says what comes out.

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
