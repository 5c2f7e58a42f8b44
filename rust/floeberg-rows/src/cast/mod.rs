//! How do values become those of a column's type?
//!
//! In: arrays in any form of Arrow. Out: the same values in another type, or an error with the value that does not fit.
//!
//! - `fields`, `names`, `fault`: what types stand for, what errors call them, and which value does not fit.
//! - `leaf`: the table of all conversions of values that are not nested; `single` converts them, with `numbers`, `units` and
//!   `bytes`.
//! - `lists`, `runs`, `dictionary`: forms of storage.
//! - `mismatch`, `values`: types, and values, at every depth.
//! - `plain`, `batch`: columns of a source, and rows of a table.
//!
//! Invariant: no value is changed, truncated or guessed.

mod fields;
mod names;
mod fault;
mod leaf;
mod whole;
mod floats;
mod numbers;
mod units;
mod bytes;
mod fixed_bytes;
mod single;
mod lists;
mod runs;
mod dictionary;
mod mismatch;
mod values;
mod plain;
mod batch;

pub use batch::{check_fits, conform_batch};
pub use fault::{Fault, Why};
pub(crate) use fields::{element, entries, extension, without_extension};
pub use leaf::{Conversion, Rule, rule, units};
pub use lists::Lists;
pub use names::kind_name;
pub(crate) use names::{field_type_name, quoted, type_name};
pub use plain::{plain_batch, plain_schema};
pub use runs::written_out;
pub use single::convert;
pub use values::cast_field;
pub(crate) use values::{cast_known, cast_rows};

#[cfg(test)]
mod tests;
