//! Rows in the order of a table, more than memory holds.

mod keys;
mod merge;
mod run;
mod sorter;

pub(super) use keys::{SortKeys, Values};
pub(super) use sorter::Sorter;
