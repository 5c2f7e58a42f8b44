//! How are Avro files written?
//!
//! Rows are encoded in runs, each on one thread, and written in order.

mod options;
mod column;
mod layout;
mod run;
mod writer;
mod file_layout;

pub(crate) use file_layout::layout;
pub(crate) use options::check_avro_properties;
