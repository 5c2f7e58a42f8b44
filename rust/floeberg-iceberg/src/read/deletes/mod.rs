//! Which rows of a data file do its deletes delete?

mod rows;
mod position_file;
mod cache;
mod equality;
mod vector;
mod load;
mod listed;

pub(super) use cache::DeleteCache;
pub(crate) use equality::key_field;
pub(super) use equality::{DataKeys, KeyCache, KeyFilter, TaskKeys};
pub(crate) use listed::ListedDeletes;
pub(super) use load::load;
