//! Bytes to raw structures and back: Avro, JSON, Puffin, deletion vectors.
//!
//! Plain functions over bytes: no I/O.

mod bounded;
mod encrypted;
pub mod avro;
pub(crate) mod json;
mod packing;
pub mod puffin;
pub mod vector;

pub(crate) use bounded::read_bounded;
pub(crate) use encrypted::refuse_encrypted;
pub(crate) use packing::{Packing, unpack};
