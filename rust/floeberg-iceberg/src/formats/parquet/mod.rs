//! Data and delete files of Parquet.

pub(crate) mod read;
pub(crate) mod write;
