//! Rows in the order of a table, more than memory holds.

mod keys;
mod run;
mod merge;
mod sorter;

pub(super) use keys::SortKeys;
pub(super) use sorter::Sorter;
