//! How do rows of Python become files of a table?
//!
//! - `conformed`: batches of Python to batches of a schema.
//! - `receipt`: files that a writer wrote, on their way to a commit.
//! - `add_files`: files of other writers, on their way to a commit.
//! - `writer`: rows to files of a table.
//! - `delete_recipe`: deletes to other delete files of a table.
//! - `keys`: rows of a table that have a key of a source, on their way to a commit.
//! - `row_delta`: rows that a worker deleted, with files that it wrote and replaced; keys of deleted rows to files.

pub mod conformed;
pub mod receipt;
pub mod add_files;
pub mod writer;
pub mod delete_recipe;
pub mod row_delta;
pub mod keys;
