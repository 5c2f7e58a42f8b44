//! What document do the bytes of a JSON file hold?
//!
//! In: bytes, plain or gzip, detected by content and not by name. Out: the document.
//! Spec: Appendix C, Table Metadata and Snapshots; Appendix F, Naming for GZIP compressed Metadata JSON files.
//!
//! Invariant: memory is bounded: by a limit on the inflated bytes, on the number of values, and on the depth (128,
//! the JSON library's own). A key that occurs twice in an object is an error, since readers differ on which one counts.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::io::Read;

use flate2::read::MultiGzDecoder;
use floeberg_core::{Error, Result};
use floeberg_io::refuse_encrypted;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value as Json};

use super::path::Shortened;

/// How many bytes a metadata file may have, stored and inflated.
pub const MAX_METADATA_BYTES: u64 = 512 << 20;

/// How many values a document may hold: keeps `[[],[],...]` from growing to many times its text.
pub(super) const MAX_VALUES: usize = 16 << 20;

/// How deep values may nest, a limit of the JSON library. The last level cannot have arrays or objects.
const MAX_DEPTH: usize = 128;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// Parses a document of at most `limit` bytes after inflating. A UTF-8 byte order mark is skipped.
///
/// Errors: `InvalidData` with line and column; `LimitExceeded`.
pub fn parse_json(bytes: &[u8], limit: u64) -> Result<Json> {
    let text = as_text(bytes, limit)?;
    let values_left = Cell::new(MAX_VALUES);
    let mut deserializer = serde_json::Deserializer::from_slice(text.bytes());
    let document = Document::new(&values_left)
        .deserialize(&mut deserializer)
        .and_then(|json| deserializer.end().map(|()| json));
    document.map_err(|error| {
        if values_left.get() == 0 {
            Error::limit(format!("a JSON document has more than {MAX_VALUES} values"))
        } else {
            Error::invalid_data(format!("expected a JSON document, found invalid JSON: {error}"))
        }
    })
}

/// Checks that [`parse_json`] accepts a document of this many bytes as text, which has more values than are here.
///
/// Errors: `LimitExceeded`.
pub fn check_readable(document: &Json, more_values: usize, bytes: usize, limit: u64) -> Result<()> {
    if bytes as u64 > limit {
        return Err(Error::limit(format!(
            "a JSON document would have {bytes} bytes, more than the limit of {limit}"
        )));
    }
    let mut waiting = vec![(document, 1)];
    let mut values = more_values;
    while let Some((value, depth)) = waiting.pop() {
        values += 1;
        let is_too_deep = depth >= MAX_DEPTH && (value.is_array() || value.is_object());
        if is_too_deep || values >= MAX_VALUES {
            return Err(Error::limit(format!(
                "a JSON document would have more than {MAX_VALUES} values, or nest deeper than {MAX_DEPTH} levels"
            )));
        }
        match value {
            Json::Array(values) => waiting.extend(values.iter().map(|value| (value, depth + 1))),
            Json::Object(keys) => waiting.extend(keys.values().map(|value| (value, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}

/// The text of a document: inflated, and without a byte order mark.
pub(super) struct Text<'a>(Cow<'a, [u8]>);

impl Text<'_> {
    pub(super) fn bytes(&self) -> &[u8] {
        self.0.strip_prefix(&BYTE_ORDER_MARK).unwrap_or(&self.0)
    }
}

pub(super) fn as_text(bytes: &[u8], limit: u64) -> Result<Text<'_>> {
    refuse_encrypted(bytes)?;
    inflate(bytes, limit).map(Text)
}

fn inflate(bytes: &[u8], limit: u64) -> Result<Cow<'_, [u8]>> {
    let too_large = || Error::limit(format!("a JSON document has more than {limit} bytes"));
    if !bytes.starts_with(&GZIP_MAGIC) {
        return if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(Cow::Borrowed(bytes)) };
    }
    let mut text = Vec::new();
    MultiGzDecoder::new(bytes).take(limit.saturating_add(1)).read_to_end(&mut text).map_err(|error| {
        Error::invalid_data("expected gzip data, found a damaged or truncated stream").caused_by(error)
    })?;
    if text.len() as u64 > limit { Err(too_large()) } else { Ok(Cow::Owned(text)) }
}

/// Builds a document, refusing repeated keys.
#[derive(Clone, Copy)]
pub(super) struct Document<'a> {
    values_left: &'a Cell<usize>,
}

impl<'a> Document<'a> {
    pub(super) fn new(values_left: &'a Cell<usize>) -> Self {
        Self { values_left }
    }

    pub(super) fn count<E: serde::de::Error>(self, values: usize) -> Result<(), E> {
        let left = self.values_left.get().saturating_sub(values);
        self.values_left.set(left);
        if left == 0 { Err(E::custom("too many values")) } else { Ok(()) }
    }
}

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        self.count(1)?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Json, E> {
        Number::from_f64(value).map(Json::Number).ok_or_else(|| E::custom("a number that is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Json, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = elements.next_element_seed(self)? {
            values.push(value);
        }
        Ok(Json::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut keys = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if keys.contains_key(&key) {
                return Err(A::Error::custom(format_args!(
                    "the key `{}` occurs twice in an object",
                    Shortened(&key)
                )));
            }
            let value = entries.next_value_seed(self)?;
            keys.insert(key, value);
        }
        Ok(Json::Object(keys))
    }
}
