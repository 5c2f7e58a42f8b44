//! Which files of a table are not needed any more?
//!
//! Nothing is removed here, nor committed: what may go is found, and the caller removes it.
//!
//! A module uses only modules that are declared before it.
//!
//! - `place`: one spelling of a location, in which files are compared.
//! - `unneeded`: the files that a table needed before, and does not need now.
//! - `orphans`: files in the folders of a table that nothing names.

mod place;
mod unneeded;
mod orphans;

pub use orphans::{Orphans, PrefixMismatch};
pub use place::Prefixes;
pub use unneeded::unneeded_files;
