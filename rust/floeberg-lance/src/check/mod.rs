//! Is a Lance table what the format says?
//!
//! ```text
//! names, manifests, refs, transactions  ->  fragments, row ids, indices  ->  files and footers  ->  rows          a level each
//!     findings, as they are found: each has a rule, a place and what was expected
//! ```
//!
//! A [`Check`] is an iterator of findings, as that of Iceberg tables. What is broken is a finding and not an error, so that one broken
//! part hides no other; a store that fails is an error.
//!
//! A module uses only modules that are declared before it.
//!
//! - `rules`: every rule, in a table for each subject.
//! - `request`: what is checked.
//! - `reading`: where files are, and manifests that need not be sound.
//! - `names`: names of manifests, tags and branches.
//! - `head`: a manifest without its fragments.
//! - `fields`: the fields of the schema.
//! - `transaction`: what made a version.
//! - `fragments`: fragments and their data files, as a manifest lists them.
//! - `lineage`: ids and versions of rows.
//! - `indices`: indices, and whether they have files.
//! - `files`: data files and deletion files.
//! - `row_ids`: whether an id is of one row.
//! - `rows`: pages, and nulls.
//! - `driver`: the levels, one after the other, version by version.

mod rules;
mod request;
mod reading;
mod names;
mod head;
mod fields;
mod transaction;
mod fragments;
mod lineage;
mod indices;
mod files;
mod row_ids;
mod rows;
mod driver;

pub use driver::{Check, OpenPages};
pub use request::{CheckRequest, VersionsToCheck};
pub use rules::lance_rules;
