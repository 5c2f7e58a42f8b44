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
mod own_bits;
mod write;
mod partition_numbers;
mod in_structs;

#[cfg(test)]
mod tests;

pub use in_structs::{column_in_structs, positions};
pub use layout::check_layout;
pub use own_bits::with_own_bits;
pub use partition_numbers::PartitionNumbers;
pub use read::from_array;
pub use utf8::{first_non_utf8, first_non_utf8_below};
pub use write::{to_array, values_to_array};
