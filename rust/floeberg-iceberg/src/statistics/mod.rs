//! What is in the statistics files that a table names?
//!
//! `puffin` reads footers and blobs, `partition` the rows of partition statistics files. `new_puffin` and `partition_rows` write
//! such files.

mod partition_schema;
mod partition;
mod partition_rows;
mod puffin;
mod new_puffin;

pub use new_puffin::NewBlob;
pub use partition_rows::PartitionStatistics;
pub(crate) use puffin::MAGIC_LENGTH;
pub use puffin::read_footer;
