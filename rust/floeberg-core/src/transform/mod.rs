//! How are partition and sort values made of column values?

mod apply;
mod arrays;
pub mod bucket;
mod kind;
mod name;
pub mod temporal;
pub mod truncate;
mod types;

#[cfg(test)]
mod tests;

pub use kind::Transform;
