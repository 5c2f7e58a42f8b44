//! Which properties has a table, what may they be, and what are they where they are not set?
//!
//! In: properties, as texts. Out: their values.
//! Spec: Iceberg documentation, Configuration (table properties).
//!
//! Invariant: every key, default and parser is here. A value that cannot be read is an `InvalidInput` that names the
//! property, never the default.
//!
//! A module uses only those that are declared before it.
//!
//! - `property`: what a property is, and how its value is read.
//! - `known`: all that have a meaning, with what is done with each.

mod property;
mod known;

pub use known::*;
pub use property::{
    Flag, Kind, Known, Properties, PropertyDefault, Share, Use, Whole, Words, flag, parsed, share,
    unexpected, whole, word,
};
