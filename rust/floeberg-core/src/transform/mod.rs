//! How are partition and sort values made of column values?

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
