//! What is in the statistics files that a table names?
//!
//! `puffin` reads footers and blobs, `partition` the rows of partition statistics files.

mod partition;
mod puffin;
