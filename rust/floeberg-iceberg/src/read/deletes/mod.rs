//! Which rows of a data file do its deletes delete?

mod cache;
mod load;
mod position_file;
mod rows;
mod vector;

pub(super) use cache::DeleteCache;
pub(super) use load::load;
