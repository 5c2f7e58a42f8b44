//! How is a plan split into groups of about equal work?
//!
//! In: a plan and a target in bytes. Out: groups of files: large ones split where row groups start, small ones packed
//! together.
//!
//! Invariant: every row group of every file is in exactly one task of exactly one group.

mod group;
mod open_groups;
mod options;
mod file_shape;
mod even;
mod packing;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use floeberg_core::{Error, Result};

use self::even::even_groups;
use self::file_shape::ShapeColumns;
use self::group::Part;
pub use self::group::{Extent, TaskGroup};
pub use self::options::{SplitOptions, SplitRequest};
use self::packing::pack;
use super::Plan;

impl Plan {
    /// Splits the plan into groups. They hold the plan, and only the numbers of its files: tasks are built on
    /// demand.
    ///
    /// Errors: `InvalidInput` for a target or lookback of 0.
    pub fn split(self: &Arc<Self>, options: SplitOptions) -> Result<Vec<TaskGroup>> {
        if options.target_size == 0 || options.lookback == 0 {
            return Err(Error::invalid_input("target_size and lookback must be at least 1"));
        }
        let delete_bytes: Vec<u64> = self.delete_files().iter().map(|delete| delete.content_size()).collect();
        let mut first = 0;
        let mut chunks = Vec::new();
        for chunk in self.to_arrow().1 {
            chunks.push(ShapeColumns::of(chunk, first, &delete_bytes)?);
            first += chunk.num_rows();
        }
        let files = chunks.iter().flat_map(ShapeColumns::shapes);
        let groups = match options.most_groups {
            Some(most) => even_groups(files, most, options),
            None => pack(files, options),
        };
        Ok(groups.into_iter().map(|parts| TaskGroup::new(Arc::clone(self), parts)).collect())
    }
}
