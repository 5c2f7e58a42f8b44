//! Data and delete files of Avro.

pub(crate) mod read;
pub(crate) mod write;
