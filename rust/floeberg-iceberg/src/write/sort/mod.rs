//! How are more rows sorted than fit into memory?

mod keys;
mod run;
mod merge;
mod sorter;

pub(super) use keys::SortKeys;
pub(super) use sorter::Sorter;
