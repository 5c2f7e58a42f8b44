//! Bytes to raw structures and back: Avro, Puffin, deletion vectors.
//!
//! Plain functions over bytes: no I/O.

pub mod avro;
