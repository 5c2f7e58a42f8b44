//! Which properties can a table have, with which values and defaults?
//!
//! In: properties, as texts. Out: their values.
//! Spec: Iceberg documentation, Configuration (table properties).
//!
//! Invariant: every key, default and parser is here. An invalid value is an `InvalidInput` that names the
//! property, never the default.
//!
//! A module uses only modules that are declared before it.
//!
//! - `property`: what a property is, and how its value is read.
//! - `known`: all known properties, and how each is treated.

mod property;
mod known;

pub use known::*;
pub use property::{
    Flag, Kind, Known, Properties, PropertyDefault, Share, Use, Whole, Words, flag, parsed, share,
    unexpected, whole, word,
};
