//! How are partition and sort values made of column values?

mod kind;

pub use kind::Transform;
