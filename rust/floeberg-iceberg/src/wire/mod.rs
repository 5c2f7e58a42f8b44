//! Bytes to raw structures and back: Avro, Puffin, deletion vectors.
//!
//! Plain functions over bytes: no I/O.

pub mod avro;
mod bounded;
pub mod puffin;
pub mod vector;
