//! How are values converted to Arrow arrays and back, and is a foreign array safe to read?
//!
//! In: values and their type, or an array and a row. Out: an array of the type's Arrow type (`schema::arrow`),
//! or a value.
//! Spec: Default values (a struct's missing fields); Column Projection (constants).
//!
//! Invariant: written values read back equal. Reading also accepts large, view and dictionary arrays, and promoted types.

mod layout;
mod read;
mod utf8;
mod write;
mod partition_numbers;

#[cfg(test)]
mod tests;

pub use layout::check_layout;
pub use partition_numbers::PartitionNumbers;
pub use read::from_array;
pub use utf8::first_non_utf8;
pub use write::{to_array, values_to_array};
