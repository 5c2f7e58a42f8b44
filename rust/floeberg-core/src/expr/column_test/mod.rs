//! What is one test of a column: which literals has it, and which values pass?
//!
//! `predicate` gives the literals of a test the type of its column. `mask` tests the values of an array.

mod column_array;
mod kernel;
mod mask;
mod test;
mod predicate;

pub(super) use column_array::ColumnArray;
pub(super) use mask::{evaluate_values, mask};
pub(super) use predicate::bind as bind_to_column;
