//! How does a message become a structure, and a structure a message?
//!
//! In: the bytes of a message. Out: a structure of named fields, and back.
//!
//! Invariant: a field whose number is not known is kept, and written again after those that are.

use floeberg_core::Result;

use super::encoder::Encoder;
use super::message::{Message, Value};

/// Fields of a message that this version does not know, as they were written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Unknown(pub(crate) Vec<u8>);

/// A message with named fields.
pub trait Structure: Default {
    /// Takes a field. Is its number known?
    fn take(&mut self, tag: u32, value: Value<'_>) -> Result<bool>;

    /// Where fields go whose numbers are not known.
    fn unknown(&mut self) -> &mut Unknown;

    /// Writes all fields, those that are not known last.
    fn write(&self, out: &mut Encoder);
}

/// Reads a message. Errors: `InvalidData`.
pub fn parse<T: Structure>(bytes: &[u8]) -> Result<T> {
    let mut parsed = T::default();
    for record in Message::new(bytes) {
        let record = record?;
        if !parsed.take(record.tag, record.value)? {
            parsed.unknown().0.extend_from_slice(&bytes[record.span]);
        }
    }
    Ok(parsed)
}

/// The bytes of a message.
pub fn to_bytes(structure: &impl Structure) -> Vec<u8> {
    let mut out = Encoder::default();
    structure.write(&mut out);
    out.finish()
}

impl Encoder {
    /// A message, also where it is empty.
    pub fn message(&mut self, tag: u32, structure: &impl Structure) {
        self.some_bytes(tag, Some(to_bytes(structure)));
    }

    /// A message, where there is one.
    pub fn some_message(&mut self, tag: u32, structure: Option<&impl Structure>) {
        if let Some(structure) = structure {
            self.message(tag, structure);
        }
    }

    /// Messages of one field.
    pub fn messages<'a, T: Structure + 'a>(&mut self, tag: u32, structures: impl IntoIterator<Item = &'a T>) {
        structures.into_iter().for_each(|structure| self.message(tag, structure));
    }

    /// A map, in the order in which it was read.
    pub fn map<V: AsRef<[u8]>>(&mut self, tag: u32, map: &[(String, V)]) {
        for (key, value) in map {
            let mut entry = Self::default();
            entry.bytes(1, key);
            entry.bytes(2, value);
            self.some_bytes(tag, Some(entry.finish()));
        }
    }
}

impl Value<'_> {
    /// As a message.
    pub fn message<T: Structure>(self) -> Result<T> {
        parse(self.bytes()?)
    }

    /// As an entry of a map of texts.
    pub fn text_entry(self, map: &mut Vec<(String, String)>) -> Result<()> {
        let (mut key, mut text) = (String::new(), String::new());
        for record in Message::new(self.bytes()?) {
            let record = record?;
            match record.tag {
                1 => key = record.value.text()?,
                2 => text = record.value.text()?,
                _ => {}
            }
        }
        map.push((key, text));
        Ok(())
    }

    /// As an entry of a map of bytes.
    pub fn bytes_entry(self, map: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
        let (mut key, mut bytes) = (String::new(), Vec::new());
        for record in Message::new(self.bytes()?) {
            let record = record?;
            match record.tag {
                1 => key = record.value.text()?,
                2 => bytes = record.value.bytes()?.to_vec(),
                _ => {}
            }
        }
        map.push((key, bytes));
        Ok(())
    }
}

/// The value of a key; where a map has it several times, the last counts.
pub fn lookup<'a, V>(map: &'a [(String, V)], key: &str) -> Option<&'a V> {
    map.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value)
}
