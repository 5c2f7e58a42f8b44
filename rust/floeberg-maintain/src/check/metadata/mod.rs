//! What is wrong with the JSON of a metadata file?
//!
//! In: the document. Out: findings, each at the place in the document.
//! Spec: Table Metadata; Schemas; Partitioning; Sorting; Snapshots; View Spec.
//!
//! The document is looked at as it is, so that one broken field hides no other. What strict parsing finds beyond that is a finding
//! too.
//!
//! A module uses only modules that are declared before it.
//!
//! - `columns`: the fields of a schema, as the document has them.
//! - `shape`: which fields there are, of which types.
//! - `ids`: ids that are unique, and those that others name.
//! - `schemas`, `specs`, `orders`: what columns are, and what rows are partitioned and sorted by.
//! - `snapshots`, `lineage`, `refs`, `logs`: states, their row ids, and who names them.
//! - `extras`: statistics, name mappings, keys, and what version 1 writes twice.
//! - `mended`: the document without what cannot be parsed.
//! - `view`: the metadata of views.
//! - `table`: the metadata of tables.

mod columns;
mod shape;
mod ids;
mod schemas;
mod specs;
mod orders;
mod snapshots;
mod lineage;
mod refs;
mod logs;
mod extras;
mod mended;
mod view;
mod table;

pub(super) use mended::mended;
pub(super) use table::check_table;
pub(super) use view::check_view;

/// By so much may the clocks of writers differ, as Iceberg Java has it.
pub(super) const DRIFT_MS: i64 = 60_000;
