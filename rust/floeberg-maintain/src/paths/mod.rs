//! How does a table get to another location?
//!
//! In: a table, and the prefixes of its paths before and after. Out: copies of the files that name others, with the paths after, and
//! a list of all files to copy.
//! Spec: Table Metadata Fields; Manifest Lists; Manifests; Position Delete Files; Puffin, `deletion-vector-v1` blob type.
//!
//! ```text
//! versions -> delete files -> manifests -> manifest lists -> metadata files -> list
//!             their sizes     their lengths
//! ```
//!
//! Invariant: nothing of the table is changed, and no value in a staged file but paths, and sizes of staged files. Where anything fails,
//! what was staged is removed.
//!
//! - `prefixes`: the new path of a file.
//! - `versions`: which metadata files are written.
//! - `since`: what was added after a version.
//! - `staging`: where the copies are written.
//! - `file_list`: which files are copied.
//! - `document`: the paths of a metadata file.
//! - `deletes`: delete files that name data files.
//! - `manifests`: the paths of a manifest.
//! - `lists`: the paths of a manifest list.
//! - `rewrite`: all of it.

mod prefixes;
mod versions;
mod since;
mod staging;
mod file_list;
mod document;
mod deletes;
mod manifests;
mod lists;
mod rewrite;

pub use rewrite::{PathRewrite, RewrittenPaths, rewrite_table_path};
