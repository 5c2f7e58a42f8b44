//! What is in the statistics files that a table names?

mod partition;
mod puffin;
