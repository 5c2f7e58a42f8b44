//! Which version follows from an operation?
//!
//! In: a version of a table, and an operation whose files are written. Out: the manifest and the indices of the next version.
//! Spec: Lance, Transactions; `transaction/manifest_build.rs`.
//!
//! Invariant: no file is opened. What an operation does not touch is written again as the same bytes: fragments, fields that this
//! version does not know, indices.

mod base;
mod edits;
mod lineage;
mod coverage;
mod maps;
mod rows;
mod columns;
mod rewrite;
mod manifest;

pub use base::{Base, Built, NewTable};
pub use columns::highest_field_id;
pub use coverage::is_of_user;
pub use manifest::{build, create, restore};
pub(crate) use maps::{change_settings, field_entry};
