//! How do values become Arrow arrays, and elements of arrays values? May an array of others be touched?
//!
//! In: values and their type, or an array and a row. Out: an array of the type's one Arrow form (`schema::arrow`),
//! or a value.
//! Spec: Default values (a struct's missing fields); Column Projection (constants).
//!
//! Invariant: what is written reads back. Reading takes large, view and dictionary forms and promoted types too.

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
