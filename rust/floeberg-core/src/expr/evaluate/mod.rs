//! Which rows match a filter?

mod condition;
mod batch;
mod row;
#[cfg(test)]
mod tests;

pub use batch::{evaluate_batch, evaluate_rows};
pub use row::evaluate_row;
