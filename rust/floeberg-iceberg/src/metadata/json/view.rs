//! What is in the metadata file of a view?
//!
//! In: the bytes of a metadata file, plain or gzip. Out: the model, and back.
//! Spec: View Spec, View Metadata, Version log.
//!
//! Invariant: the current version and its schema exist, and no id occurs twice. The version log may name removed versions.

use floeberg_core::schema::json::schema_to_json;
use floeberg_core::{Context, Error, Result};
use serde_json::Value as Json;

use super::chosen::{Chosen, check_unique};
use super::emit::{ObjectWriter, emit_map};
use super::schema::parse_schema;
use super::view_version::{emit_version, parse_version};
use crate::metadata::{VersionLogEntry, ViewMetadata};
use crate::wire::json::{
    JsonPath, MAX_METADATA_BYTES, ObjectReader, int, list, long, parse_json, string, string_map,
};

/// Parses the metadata file of a view. `location` is where it was read, for errors.
///
/// Errors: `InvalidData` that names the path in the document, what was expected and what was found; `Unsupported` for
/// a later format version and for the metadata of a table; `LimitExceeded` for a file that inflates without bound.
pub fn parse_view_metadata(bytes: &[u8], location: &str) -> Result<ViewMetadata> {
    let document = parse_json(bytes, MAX_METADATA_BYTES).context("path", location)?;
    parse_document(document).context("path", location)
}

fn parse_document(document: Json) -> Result<ViewMetadata> {
    let path = JsonPath::root("view metadata");
    let mut object = ObjectReader::new(document, &path)?;
    if !object.has("view-uuid") && object.has("last-column-id") {
        return Err(Error::unsupported(
            "expected the metadata of a view, found that of a table: open it with open_table",
        ));
    }
    let format_version = object.required("format-version", parse_format_version)?;
    let schemas = object.required("schemas", list(parse_schema))?;
    check_unique(schemas.iter().map(|schema| schema.schema_id()), &path.key("schemas"))?;
    let current = Some(object.required("current-version-id", int)?);
    let versions = object.required("versions", list(parse_version))?;
    let place_of_versions = path.key("versions");
    let versions = Chosen::new(
        versions,
        |version| version.version_id,
        current,
        "current-version-id",
        &place_of_versions,
    )?;
    let metadata = ViewMetadata {
        view_uuid: object.required("view-uuid", string)?,
        format_version,
        location: object.required("location", string)?,
        schemas,
        current_version_id: versions.chosen.version_id,
        versions: versions.all,
        version_log: object.required("version-log", list(parse_entry))?,
        properties: object.optional("properties", string_map)?.unwrap_or_default(),
        unknown_keys: object.unknown_keys(),
        current: versions.chosen,
    };
    metadata.schema_of(metadata.current_version())?;
    Ok(metadata)
}

#[expect(clippy::needless_pass_by_value, reason = "has the shape of the readers of wire::json")]
fn parse_format_version(json: Json, path: &JsonPath<'_>) -> Result<u8> {
    match json.as_i64() {
        Some(1) => Ok(1),
        Some(version) if version > 1 => Err(Error::unsupported(format!(
            "{path}: expected 1, found {version}, which is later than this release of Floeberg"
        ))),
        _ => Err(path.expected("the integer 1", &json)),
    }
}

fn parse_entry(json: Json, path: &JsonPath<'_>) -> Result<VersionLogEntry> {
    let mut object = ObjectReader::new(json, path)?;
    Ok(VersionLogEntry {
        timestamp_ms: object.required("timestamp-ms", long)?,
        version_id: object.required("version-id", int)?,
        unknown_keys: object.unknown_keys(),
    })
}

fn emit_entry(entry: &VersionLogEntry) -> Json {
    let mut object = ObjectWriter::default();
    object.put("timestamp-ms", entry.timestamp_ms);
    object.put("version-id", entry.version_id);
    object.finish(&entry.unknown_keys)
}

impl ViewMetadata {
    /// The metadata as JSON. Parsing and writing it again gives the same.
    pub fn to_json(&self) -> Result<Json> {
        let schemas: Vec<Json> =
            self.schemas.iter().map(|schema| schema_to_json(schema)).collect::<Result<_>>()?;
        let mut object = ObjectWriter::default();
        object.put("view-uuid", self.view_uuid.as_str());
        object.put("format-version", self.format_version);
        object.put("location", self.location.as_str());
        object.put("schemas", schemas);
        object.put("current-version-id", self.current_version_id);
        object.put("versions", self.versions.iter().map(|version| emit_version(version)).collect::<Json>());
        object.put("version-log", self.version_log.iter().map(emit_entry).collect::<Json>());
        object.put("properties", emit_map(&self.properties));
        Ok(object.finish(&self.unknown_keys))
    }
}
