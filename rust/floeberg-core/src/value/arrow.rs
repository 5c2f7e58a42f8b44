//! How do values become Arrow arrays, and elements of arrays values?
//!
//! In: values and their type, or an array and a row. Out: an array of the type's one Arrow form (`schema::arrow`),
//! or a value.
//! Spec: Default values (a struct's missing fields); Column Projection (constants).
//!
//! Invariant: what is written reads back. Reading takes large, view and dictionary forms and promoted types too.

mod read;
mod write;

pub use read::from_array;
pub use write::{to_array, values_to_array};
