//! Which rows of a data file do its deletes delete?

mod cache;
mod equality;
mod listed;
mod load;
mod position_file;
mod rows;
mod vector;

pub(super) use cache::DeleteCache;
pub(crate) use equality::key_field;
pub(super) use equality::{DataKeys, KeyCache, KeyFilter, TaskKeys};
pub(crate) use listed::ListedDeletes;
pub(super) use load::load;
