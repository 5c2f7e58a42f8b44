//! What does the JSON of a Puffin footer say?
//!
//! Spec: Puffin, `FileMetadata`, `BlobMetadata`.

use std::collections::BTreeMap;

use floeberg_core::{Context, Error, Result};
use serde_json::{Map, Value as Json};

use super::compression::Compression;

/// The content of a Puffin file, by its footer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PuffinFooter {
    /// The blobs.
    pub blobs: Vec<BlobMetadata>,
    /// Properties of the file, such as `created-by`.
    pub properties: BTreeMap<String, String>,
}

/// Where a blob is and what it is.
#[derive(Debug, Clone, PartialEq)]
pub struct BlobMetadata {
    /// `deletion-vector-v1`, `apache-datasketches-theta-v1`, or another.
    pub blob_type: String,
    /// The columns it was computed for.
    pub fields: Vec<i32>,
    /// The snapshot it was computed from; -1 for deletion vectors.
    pub snapshot_id: i64,
    /// That snapshot's sequence number; -1 for deletion vectors.
    pub sequence_number: i64,
    /// Its first byte in the file.
    pub offset: u64,
    /// How many bytes it has in the file.
    pub length: u64,
    /// Its codec; `None` is not compressed.
    pub compression: Option<Compression>,
    /// What belongs to its type, such as `referenced-data-file`.
    pub properties: BTreeMap<String, String>,
}

pub(super) fn parse_payload(payload: &[u8]) -> Result<PuffinFooter> {
    let json: Json = serde_json::from_slice(payload).map_err(|error| {
        Error::invalid_data("expected the Puffin footer payload to be JSON").caused_by(error)
    })?;
    let blobs = json.get("blobs").and_then(Json::as_array);
    let Some(blobs) = blobs else { return Err(expected("a list", "blobs")) };
    let blobs = blobs.iter().enumerate().map(|(index, blob)| parse_blob(blob).context("blob", index));
    Ok(PuffinFooter { blobs: blobs.collect::<Result<_>>()?, properties: properties(json.get("properties"))? })
}

fn parse_blob(json: &Json) -> Result<BlobMetadata> {
    let Some(object) = json.as_object() else { return Err(expected("objects", "blobs")) };
    let fields = object.get("fields").and_then(Json::as_array);
    let fields = fields.and_then(|fields| {
        fields
            .iter()
            .map(|id| id.as_i64().and_then(|id| i32::try_from(id).ok()))
            .collect::<Option<Vec<i32>>>()
    });
    Ok(BlobMetadata {
        blob_type: text(object, "type")?.ok_or_else(|| expected("a text", "type"))?.to_owned(),
        fields: fields.ok_or_else(|| expected("a list of ints", "fields"))?,
        snapshot_id: long(object, "snapshot-id")?,
        sequence_number: long(object, "sequence-number")?,
        offset: size(object, "offset")?,
        length: size(object, "length")?,
        compression: text(object, "compression-codec")?.map(Compression::parse).transpose()?,
        properties: properties(object.get("properties"))?,
    })
}

fn text<'a>(object: &'a Map<String, Json>, key: &str) -> Result<Option<&'a str>> {
    match object.get(key) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(_) => Err(expected("a text", key)),
    }
}

fn long(object: &Map<String, Json>, key: &str) -> Result<i64> {
    object.get(key).and_then(Json::as_i64).ok_or_else(|| expected("a long", key))
}

fn size(object: &Map<String, Json>, key: &str) -> Result<u64> {
    u64::try_from(long(object, key)?).map_err(|_| expected("0 or more", key))
}

fn properties(json: Option<&Json>) -> Result<BTreeMap<String, String>> {
    let json = match json {
        None | Some(Json::Null) => return Ok(BTreeMap::new()),
        Some(json) => json,
    };
    json.as_object()
        .and_then(|object| {
            object.iter().map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
        })
        .ok_or_else(|| expected("an object of texts", "properties"))
}

fn expected(what: &str, key: &str) -> Error {
    Error::invalid_data(format!("Puffin footer: expected {key} to be {what}"))
}
