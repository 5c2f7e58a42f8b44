//! Which rows match a filter?

mod column_array;
mod kernel;
mod mask;
mod batch;
mod row;
#[cfg(test)]
mod tests;

pub use batch::evaluate_batch;
pub use row::evaluate_row;

pub(super) use mask::evaluate_values;
