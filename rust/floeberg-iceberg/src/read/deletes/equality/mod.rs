//! Which rows do equality deletes delete?
//!
//! A hash anti-join: the keys of delete files become sets that tasks share, and a batch loses the rows whose keys are in
//! a set. Keys that do not fit into memory are applied earlier, part by part, and become positions.
//! Spec: Equality Delete Files; Scan Planning.

mod key_column;
mod key_rows;
mod cache;
mod task_keys;
mod key_filter;
mod parts;

pub(crate) use cache::KeyCache;
pub(crate) use key_column::key_field;
pub(crate) use key_filter::KeyFilter;
pub(crate) use parts::DataKeys;
pub(crate) use task_keys::TaskKeys;
