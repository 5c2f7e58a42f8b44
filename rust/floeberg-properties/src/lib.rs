//! Which properties can a table or a view have, with which values and defaults?
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
//! - `known`: all known properties of tables, and how each is treated.
//! - `view`: the properties of views that are followed.

mod property;
mod known;
mod view;

pub use known::*;
pub use property::{
    Flag, Kind, Known, Properties, PropertyDefault, Share, Use, Whole, Words, flag, parsed, share,
    unexpected, whole, word,
};
pub use view::{REPLACE_DROP_DIALECT_ALLOWED, VERSION_HISTORY_SIZE, VIEW_METADATA_CODEC};
