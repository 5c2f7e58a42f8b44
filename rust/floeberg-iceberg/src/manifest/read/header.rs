//! What is in the header of a manifest, or of a manifest list?
//!
//! Spec: Manifests (file metadata); Manifest Lists. Keys of manifest lists are those of Iceberg Java.

use floeberg_avro::{Container, Limits};
use floeberg_core::{Context, Error, Result};
use serde_json::Value as Json;

use crate::manifest::ManifestContent;

/// The key-value metadata of a manifest. Keys that v1 may leave out are `None`.
#[derive(Debug, Clone, PartialEq)]
pub struct ManifestHeader {
    /// The table schema when it was written.
    pub schema: Option<Json>,
    /// The fields of its partition spec: a list.
    pub partition_spec: Option<Json>,
    /// The id of its partition spec.
    pub partition_spec_id: Option<i32>,
    /// The format version it was written in; 1 if it is missing.
    pub format_version: u8,
    /// Data files or delete files; `None` if it is missing, as in v1, whose manifests have only data files.
    pub content: Option<ManifestContent>,
}

/// Reads the header of a manifest, without its entries.
pub fn manifest_header(bytes: &[u8]) -> Result<ManifestHeader> {
    header_of(&Container::open(bytes, &Limits::default())?)
}

pub(super) fn header_of(container: &Container<'_>) -> Result<ManifestHeader> {
    Ok(ManifestHeader {
        schema: json(container, "schema")?,
        partition_spec: json(container, "partition-spec")?,
        partition_spec_id: number(container, "partition-spec-id")?,
        format_version: format_version(container)?.unwrap_or(1),
        content: content(container)?,
    })
}

/// The key-value metadata of a manifest list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ManifestListHeader {
    /// The snapshot that it is of.
    pub snapshot_id: i64,
    /// The snapshot before; `None` for the first one.
    pub parent_snapshot_id: Option<i64>,
    /// The sequence number of the snapshot; `None` in v1.
    pub sequence_number: Option<i64>,
    /// The format version it was written in; 1 if it is missing.
    pub format_version: u8,
    /// The first row id of the snapshot (v3).
    pub first_row_id: Option<i64>,
}

/// Reads the header of a manifest list, without its rows; `None` for another Avro file, whose header names no snapshot.
pub fn manifest_list_header(bytes: &[u8]) -> Result<Option<ManifestListHeader>> {
    let container = Container::open(bytes, &Limits::default())?;
    let Some(snapshot_id) = number(&container, "snapshot-id")? else { return Ok(None) };
    // Iceberg Java writes the parent of a first snapshot as the text null.
    let optional = |key: &'static str| match container.metadata_text(key)? {
        Some("null") => Ok(None),
        _ => number(&container, key),
    };
    Ok(Some(ManifestListHeader {
        snapshot_id,
        parent_snapshot_id: optional("parent-snapshot-id")?,
        sequence_number: optional("sequence-number")?,
        format_version: format_version(&container)?.unwrap_or(1),
        first_row_id: optional("first-row-id")?,
    }))
}

/// `content`.
pub(super) fn content(container: &Container<'_>) -> Result<Option<ManifestContent>> {
    match container.metadata_text("content")? {
        None => Ok(None),
        Some("data") => Ok(Some(ManifestContent::Data)),
        Some("deletes") => Ok(Some(ManifestContent::Deletes)),
        Some(other) => {
            let found: String = other.chars().take(40).collect();
            Err(Error::invalid_data(format!(
                "manifest header: expected content data or deletes, found {found}"
            )))
        }
    }
}

/// `format-version`.
pub(super) fn format_version(container: &Container<'_>) -> Result<Option<u8>> {
    number(container, "format-version")
}

fn number<T: std::str::FromStr>(container: &Container<'_>, key: &'static str) -> Result<Option<T>> {
    let Some(text) = container.metadata_text(key)? else { return Ok(None) };
    let found: String = text.chars().take(40).collect();
    text.parse().map(Some).map_err(|_| {
        Error::invalid_data(format!("manifest header: expected {key} to be a number, found {found}"))
    })
}

pub(super) fn json(container: &Container<'_>, key: &'static str) -> Result<Option<Json>> {
    let Some(text) = container.metadata(key) else { return Ok(None) };
    serde_json::from_slice(text)
        .map(Some)
        .map_err(|error| Error::invalid_data("manifest header: expected JSON").caused_by(error))
        .context("key", key)
}
