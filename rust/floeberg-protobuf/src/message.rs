//! How do bytes become a message, and a message bytes?
//!
//! In: the bytes of a message. Out: a structure of named fields, and back.
//!
//! Invariant: a field that is kept because nobody knows it is written again as it was, after those that are known.

use floeberg_core::Result;

use super::encoder::Encoder;
use super::records::{Record, Records};

/// A message with named fields. [`message!`](crate::message!) makes it of a table.
pub trait Message: Default {
    /// Takes a field: into its place, or as the table says of fields that it does not have. Errors: `InvalidData`.
    fn read(&mut self, record: &Record<'_>) -> Result<()>;

    /// Writes all fields in the order of the table, and then those that it does not have.
    fn write(&self, out: &mut Encoder);

    /// Takes all fields of a message. Errors: `InvalidData`.
    fn merge(&mut self, bytes: &[u8]) -> Result<()> {
        let mut records = Records::new(bytes);
        while let Some(record) = records.record()? {
            self.read(&record)?;
        }
        Ok(())
    }
}

/// Fields of a message that its table does not have, as they were written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Unknown(pub Vec<u8>);

impl Unknown {
    /// Keeps a field.
    pub fn keep(&mut self, record: &Record<'_>) {
        self.0.extend_from_slice(record.bytes());
    }
}

/// Reads a message. Errors: `InvalidData`.
pub fn parse<T: Message>(bytes: &[u8]) -> Result<T> {
    let mut message = T::default();
    message.merge(bytes)?;
    Ok(message)
}

/// The bytes of a message.
pub fn to_bytes(message: &impl Message) -> Vec<u8> {
    let mut out = Encoder::default();
    message.write(&mut out);
    out.finish()
}

impl Encoder {
    /// A message, also where it is empty.
    pub fn message(&mut self, number: u32, message: &impl Message) {
        self.some_bytes(number, to_bytes(message));
    }
}
