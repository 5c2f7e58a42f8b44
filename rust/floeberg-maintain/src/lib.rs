//! Which files of a table are not needed any more, and which are worth writing again?
//!
//! Nothing is removed here, nor committed: what may go is found, and the caller does it.
//!
//! A module uses only modules that are declared before it.
//!
//! - `place`: one spelling of a location, in which files are compared.
//! - `unneeded`: the files that a table needed before, and does not need now.
//! - `compaction`: which data files are worth writing again.
//! - `delete_files`: which delete files are worth writing again.
//! - `orphans`: files in the folders of a table that nothing names.

mod place;
mod unneeded;
mod compaction;
mod delete_files;
mod orphans;

pub use compaction::{FileGroup, JobOrder, Sizes, groups};
pub use delete_files::{DeleteFileSizes, equality_groups, position_groups};
pub use orphans::{Orphans, PrefixMismatch};
pub use place::Prefixes;
pub use unneeded::unneeded_files;
