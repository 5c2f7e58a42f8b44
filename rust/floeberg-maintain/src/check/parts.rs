//! What is read of a table, and what is wrong with it?
//!
//! In: a location, or a snapshot. Out: a metadata file of the log, the manifests of a snapshot, or a manifest; with findings.
//! Spec: Table Metadata Fields (`metadata-log`); Snapshots; Manifest Lists; Manifests.

use std::collections::VecDeque;

use floeberg_core::Result;
use floeberg_iceberg::manifest::{ManifestContent, ManifestFile, manifest_header};
use floeberg_iceberg::metadata::{Snapshot, SnapshotManifests};
use floeberg_iceberg::wire::json::{MAX_METADATA_BYTES, parse_json};

use super::history::Past;
use super::keys::{Object, long, objects, text};
use super::known::Known;
use super::manifest::{CheckedManifest, Digest, check_list, check_manifest};
use super::reading::Reading;
use super::rules::manifests::{LIST_READABLE, MANIFEST_READABLE};
use floeberg_core::finding::Findings;

/// The files of the metadata log, oldest first, with the times that it says.
pub(super) fn log_of(table: &Object) -> VecDeque<(String, Option<i64>)> {
    let entries = objects(table, "metadata-log");
    let file = |entry: &Object| Some((text(entry, "metadata-file")?.to_owned(), long(entry, "timestamp-ms")));
    entries.iter().filter_map(|(_, entry)| file(entry)).collect()
}

/// What is kept of a metadata file; `None` for one that is not there, and a message for one that cannot be read.
pub(super) fn past_of(reading: &Reading, location: &str) -> Result<Result<Option<Past>, String>> {
    if !reading.exists(location)? {
        return Ok(Ok(None));
    }
    let bytes = match reading.bytes(location)? {
        Ok(bytes) => bytes,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let parsed = parse_json(&bytes, MAX_METADATA_BYTES);
    Ok(match parsed {
        Ok(document) => document
            .as_object()
            .map(|table| Some(Past::new(table)))
            .ok_or_else(|| "expected a JSON object".to_owned()),
        Err(error) => Err(error.to_string()),
    })
}

/// What is wrong with the list of a snapshot, and its rows; `None` if they are not known.
pub(super) fn list(
    reading: &Reading,
    known: &Known,
    snapshot: &Snapshot,
) -> Result<(Findings, Option<Vec<ManifestFile>>)> {
    let location = match &snapshot.manifests {
        SnapshotManifests::List(location) => location,
        SnapshotManifests::Inline(paths) => return inline(reading, snapshot, paths),
    };
    let mut found = Findings::of_snapshot(location, snapshot.snapshot_id);
    if snapshot.key_id.is_some() {
        return Ok((found, None));
    }
    match reading.bytes(location)? {
        Ok(bytes) => Ok(check_list(known, snapshot, location, &bytes)),
        Err(error) => {
            found.add(&LIST_READABLE, "", error);
            Ok((found, None))
        }
    }
}

/// The manifests that a snapshot of version 1 names itself.
fn inline(
    reading: &Reading,
    snapshot: &Snapshot,
    paths: &[String],
) -> Result<(Findings, Option<Vec<ManifestFile>>)> {
    let mut found = Findings::default();
    let mut manifests = Vec::with_capacity(paths.len());
    for path in paths {
        let read = reading.bytes(path)?.and_then(|bytes| Ok((manifest_header(&bytes)?, bytes.len() as i64)));
        match read {
            Ok((header, length)) => {
                let spec_id = header.partition_spec_id.unwrap_or(0);
                manifests.push(ManifestFile::unlisted(path.clone(), length, spec_id, ManifestContent::Data));
            }
            Err(error) => {
                let mut of_manifest = Findings::of_snapshot(path, snapshot.snapshot_id);
                of_manifest.add(&MANIFEST_READABLE, "", error);
                found.extend(of_manifest);
            }
        }
    }
    let is_whole = found.is_empty();
    Ok((found, is_whole.then_some(manifests)))
}

pub(super) fn read_manifest(
    reading: &Reading,
    known: &Known,
    manifest: &ManifestFile,
) -> Result<CheckedManifest> {
    match reading.bytes(&manifest.manifest_path)? {
        Ok(bytes) => Ok(check_manifest(known, manifest, &bytes)),
        Err(error) => {
            let mut found = Findings::of(&manifest.manifest_path);
            found.add(&MANIFEST_READABLE, "", error);
            Ok(CheckedManifest { found, digest: Digest::default(), stored: None })
        }
    }
}
