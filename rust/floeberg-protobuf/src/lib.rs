//! How are messages of protocol buffers read and written?
//!
//! In: bytes, and a table of the fields of each message ([`message!`]). Out: structures of named fields, and back. No I/O.
//! Spec: Protocol Buffers, Encoding.
//!
//! A module uses only modules that are declared before it.
//!
//! - `records`: the fields of a message as they lie in its bytes.
//! - `encoder`: fields, written.
//! - `message`: what a message is: a structure that takes fields and writes them.
//! - `field`: the types that a field can have, and how each of them is read and written.
//! - `table`: the macro that makes a message of one line a field.
//!
//! Invariant: no length that a message claims is allocated unchecked; what is not known is kept where the table says so.

mod records;
mod encoder;
mod message;
mod field;
mod table;

#[cfg(test)]
mod tests;

#[doc(hidden)]
pub use floeberg_core::Result;

pub use encoder::Encoder;
pub use field::{Double, Field, Signed, Single, lookup};
pub use message::{Message, Unknown, parse, to_bytes};
pub use records::{Record, Records, Value, damaged};
