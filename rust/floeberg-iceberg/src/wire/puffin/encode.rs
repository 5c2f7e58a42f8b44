//! Which bytes surround the blobs of a Puffin file?
//!
//! In: what the blobs are, and how long, in their order. Out: where each of them is, and the bytes before and after all of them.
//! Spec: Puffin, File structure, Footer structure.
//!
//! ```text
//! magic | blob ... | magic | payload | payload size: i32 LE | flags (4) | magic
//! ```
//!
//! Invariant: the footer says of each blob exactly where it is. The payload is not compressed, as in files of Iceberg Java.

use std::collections::BTreeMap;

use floeberg_core::{Error, Result};
use serde_json::{Map, Value as Json};

use super::footer::{MAGIC, PAYLOAD_LIMIT};
use super::footer_json::{BlobMetadata, PuffinFooter};

/// The bytes before the first blob.
pub const PUFFIN_START: &[u8] = &MAGIC;

/// A Puffin file in the making. Who writes it writes [`PUFFIN_START`], the blobs, and what [`PuffinEncoder::finish`] gives.
#[derive(Debug, Clone)]
pub struct PuffinEncoder {
    footer: PuffinFooter,
    length: u64,
}

impl PuffinEncoder {
    /// A file without blobs, with properties such as `created-by`.
    pub fn new(properties: BTreeMap<String, String>) -> Self {
        Self { footer: PuffinFooter { blobs: Vec::new(), properties }, length: PUFFIN_START.len() as u64 }
    }

    /// A file without blobs that says which library wrote it.
    pub fn of_this_library() -> Self {
        let name = format!("Floeberg {}", env!("CARGO_PKG_VERSION"));
        Self::new(BTreeMap::from([("created-by".to_owned(), name)]))
    }

    /// Adds a blob of this many bytes, compressed as its metadata says: its offset and length in the file are set here.
    ///
    /// Errors: `LimitExceeded` for a file beyond 64 bits.
    pub fn add(&mut self, length: u64, blob: BlobMetadata) -> Result<&BlobMetadata> {
        let end = self.length.checked_add(length).filter(|end| i64::try_from(*end).is_ok());
        let end = end.ok_or_else(|| Error::limit("a Puffin file would be larger than 2^63 bytes"))?;
        self.footer.blobs.push(BlobMetadata { offset: self.length, length, ..blob });
        self.length = end;
        self.footer.blobs.last().ok_or_else(|| Error::internal("a blob was added"))
    }

    /// The bytes after the last blob, and what they say.
    ///
    /// Errors: `LimitExceeded` for a footer that no reader would take.
    pub fn finish(self) -> Result<(Vec<u8>, PuffinFooter)> {
        Ok((self.footer.to_bytes()?, self.footer))
    }
}

impl PuffinFooter {
    /// The bytes after the last blob.
    ///
    /// Errors: `LimitExceeded` for a footer that no reader would take.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let payload = payload(self).to_string();
        let size = i32::try_from(payload.len()).ok().filter(|_| payload.len() <= PAYLOAD_LIMIT);
        let Some(size) = size else {
            return Err(Error::limit(format!(
                "the footer of a Puffin file would have {} bytes, more than {}: write several files",
                payload.len(),
                PAYLOAD_LIMIT
            )));
        };
        Ok([&MAGIC[..], payload.as_bytes(), &size.to_le_bytes(), &[0; 4], &MAGIC].concat())
    }
}

/// The JSON of a footer, keys in the order of the specification's tables.
fn payload(footer: &PuffinFooter) -> Json {
    let mut object = Map::new();
    object.insert("blobs".to_owned(), footer.blobs.iter().map(blob).collect());
    if !footer.properties.is_empty() {
        object.insert("properties".to_owned(), texts(&footer.properties));
    }
    Json::Object(object)
}

fn blob(blob: &BlobMetadata) -> Json {
    let mut object = Map::new();
    let mut put = |key: &str, value: Json| object.insert(key.to_owned(), value);
    put("type", blob.blob_type.as_str().into());
    put("fields", blob.fields.clone().into());
    put("snapshot-id", blob.snapshot_id.into());
    put("sequence-number", blob.sequence_number.into());
    put("offset", blob.offset.into());
    put("length", blob.length.into());
    if let Some(compression) = blob.compression {
        put("compression-codec", compression.name().into());
    }
    if !blob.properties.is_empty() {
        put("properties", texts(&blob.properties));
    }
    Json::Object(object)
}

fn texts(properties: &BTreeMap<String, String>) -> Json {
    Json::Object(properties.iter().map(|(key, value)| (key.clone(), value.as_str().into())).collect())
}
