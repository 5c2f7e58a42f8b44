//! Which rows of a data file do its deletes delete?

mod rows;
mod position_file;
mod cache;
mod equality;
mod caches;
mod vector;
mod load;
mod listed;

pub(super) use caches::DeleteCaches;
pub(crate) use equality::key_field;
pub(super) use equality::{DataKeys, KeyFilter, TaskKeys};
pub(crate) use listed::ListedDeletes;
pub(super) use load::load;
