//! What do the bytes of Iceberg's own files say?
//!
//! Raw structures and back, as plain functions without I/O. `json` is the JSON of metadata, with paths for errors.
//! `puffin` and `vector` are Puffin files and deletion vectors. Avro is `floeberg-avro`.

pub mod json;
mod packing;
pub mod puffin;
pub mod vector;

pub(crate) use packing::{Packing, unpack};
