//! How are more rows sorted than fit into memory?

mod keys;
mod z_keys;
mod row_keys;
mod key_order;
mod run;
mod merge;
mod sorter;

pub(super) use row_keys::SortKeys;
pub(super) use sorter::Sorter;
