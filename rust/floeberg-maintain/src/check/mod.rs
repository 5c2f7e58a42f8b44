//! Is a table, or a view, what the specification says?
//!
//! ```text
//! metadata  ->  manifest lists and manifests  ->  files and footers  ->  rows          a level each
//!     findings, as they are found: each has a rule, a place and what was expected
//! ```
//!
//! A [`Check`] is an iterator of findings. What is broken is a finding and not an error, so that one broken part hides no other; a store
//! that fails is an error.
//!
//! A module uses only modules that are declared before it.
//!
//! - `rules`: every rule, in a table for each subject.
//! - `keys`: fields of JSON, and their types.
//! - `metadata`: rules of metadata files.
//! - `history`: rules of one metadata file after the other.
//! - `reading`: the bytes of files, and which errors are theirs.
//! - `known`: what of a table its files are checked by.
//! - `manifest`: rules of manifest lists and manifests.
//! - `files`: rules of data files, delete files and statistics files, and of their rows.
//! - `request`: what is checked.
//! - `document`: a metadata file, checked and parsed.
//! - `parts`: what is read of a table, a part at a time.
//! - `file_task`: files that other processes check.
//! - `driver`: the levels, one after the other, by several threads.

mod rules;
mod keys;
mod metadata;
mod history;
mod reading;
mod known;
mod manifest;
mod files;
mod request;
mod document;
mod parts;
mod file_task;
mod driver;

pub(crate) use document::findings_of_metadata;
pub use document::newly_broken;
pub use driver::Check;
pub use file_task::TaskChecks;
pub(crate) use files::{footer_of, position_schema, present};
pub(crate) use reading::Reading;
pub use request::{CheckRequest, SnapshotsToCheck};
pub use rules::iceberg_rules;
