//! Which rows of data files does an operation change, and what takes their place?
//!
//! - `affected`: the data files that may hold such rows, by metadata.
//! - `matched`: the positions of the rows, by reading the columns of the filter.
//! - `merged_on_read`: delete files for them.
//! - `copied`: the other rows of their files, written again.

mod affected;
mod matched;
mod merged_on_read;
mod copied;

pub(crate) use affected::{Affected, affected};
pub(crate) use copied::copied;
pub(crate) use matched::{Matched, matched};
pub(crate) use merged_on_read::merged_on_read;
