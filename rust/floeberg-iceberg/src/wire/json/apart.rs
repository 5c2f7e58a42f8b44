//! What document do the bytes of a JSON file hold, if the elements of its longest lists are kept as text?
//!
//! In: bytes, plain or gzip, and the keys of the lists. Out: the document without these lists, whose elements a
//! function reads from their text.
//! Spec: Appendix C, Table Metadata and Snapshots.
//!
//! Invariant: what this accepts, [`parse_json`](super::parse_json) accepts too. What this refuses may be accepted
//! there: errors are for that function to find.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};

use super::text::{Document, MAX_VALUES, as_text};

/// Reads the text of one element of a list: its key and the text in, the number of its values out. `None` refuses the document.
pub type ReadElement<'a> = &'a mut dyn FnMut(&'static str, &str) -> Option<usize>;

/// Parses a document of at most `limit` bytes after inflating. Lists by one of `keys` are read by a function, element by
/// element, and are empty in the document.
pub fn parse_apart(bytes: &[u8], limit: u64, keys: &[&'static str], read: ReadElement<'_>) -> Option<Json> {
    let text = as_text(bytes, limit).ok()?;
    let values_left = Cell::new(MAX_VALUES);
    let mut deserializer = serde_json::Deserializer::from_slice(text.bytes());
    let root = Root { document: Document::new(&values_left), keys, read };
    let document = root.deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(document)
}

struct Root<'a> {
    document: Document<'a>,
    keys: &'a [&'static str],
    read: ReadElement<'a>,
}

impl<'de> DeserializeSeed<'de> for Root<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Root<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        self.document.count(1)?;
        let mut found = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if found.contains_key(&key) {
                return Err(A::Error::custom("a key occurs twice"));
            }
            let value = match self.keys.iter().find(|apart| **apart == key) {
                Some(key) => {
                    let elements = Elements { document: self.document, key, read: &mut *self.read };
                    entries.next_value_seed(elements)?;
                    Json::Array(Vec::new())
                }
                None => entries.next_value_seed(self.document)?,
            };
            found.insert(key, value);
        }
        Ok(Json::Object(found))
    }
}

struct Elements<'a> {
    document: Document<'a>,
    key: &'static str,
    read: ReadElement<'a>,
}

impl<'de> DeserializeSeed<'de> for Elements<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        self.document.count(1)?;
        while let Some(text) = elements.next_element::<&'de RawValue>()? {
            let values = (self.read)(self.key, text.get());
            self.document.count(values.ok_or_else(|| A::Error::custom("an element is refused"))?)?;
        }
        Ok(())
    }
}
