//! What do the bytes of Iceberg's own files say?
//!
//! Raw structures and back, as plain functions without I/O. `avro` compiles a writer's schema into steps that fill
//! columns, and in `avro/encode` writes files and declares Iceberg's types in them. `json` is the JSON of metadata,
//! with places for errors. `puffin` and `vector` are Puffin files and deletion vectors.

mod bounded;
mod encrypted;
pub mod avro;
pub mod json;
mod packing;
pub mod puffin;
pub mod vector;

pub(crate) use bounded::read_bounded;
pub(crate) use encrypted::refuse_encrypted;
pub(crate) use packing::{Packing, unpack};
