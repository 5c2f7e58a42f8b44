//! Data and delete files of ORC.

pub(crate) mod read;
pub(crate) mod write;
