//! What does Python ask of tables and views, and of the files beside them?
//!
//! - `properties`: properties of tables.
//! - `metadata_reader`: the rows of a metadata table.
//! - `view`: a view.
//! - `table`: a table.
//! - `statistics`: statistics files.
//! - `schema`: schemas of a user, and their changes.
//! - `files`: what catalogs ask of files beside tables.

pub mod properties;
pub mod metadata_reader;
pub mod view;
#[expect(clippy::module_inception, reason = "the class that the folder is about")]
pub mod table;
pub mod statistics;
pub mod schema;
pub mod files;
