//! What is read of a table, and what is wrong with it?
//!
//! In: a location, or a snapshot. Out: a metadata file of the log, the manifests of a snapshot, or a manifest; with findings.
//! Spec: Table Metadata Fields (`metadata-log`); Snapshots; Manifest Lists; Manifests.

use std::collections::VecDeque;

use arrow_array::Array as _;
use floeberg_core::Result;
use floeberg_iceberg::manifest::{ManifestContent, ManifestFile, manifest_header};
use floeberg_iceberg::metadata::{Snapshot, SnapshotManifests};
use floeberg_iceberg::wire::json::{MAX_METADATA_BYTES, parse_json};

use super::history::Past;
use super::keys::{Object, long, objects, text};
use super::known::Known;
use super::manifest::{CheckedManifest, Digest, Stored, check_list, check_manifest};
use super::reading::Reading;
use super::rules::manifests::{LIST_READABLE, MANIFEST_READABLE};
use floeberg_core::finding::{Findings, split};

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
    if let Some(key_id) = &snapshot.key_id {
        let Some(keys) = reading.store.keys() else { return Ok((found, None)) };
        if let Err(error) = split(keys.add_list(&reading.relocation.apply(location), key_id))? {
            found.add(&LIST_READABLE, "", error);
            return Ok((found, None));
        }
    }
    match reading.bytes(location)? {
        Ok(bytes) => Ok(check_list(known, snapshot, location, &bytes)),
        Err(error) => {
            found.add(&LIST_READABLE, "", error);
            Ok((found, None))
        }
    }
}

/// Takes in the keys of the files of an encrypted table. Errors: those of key metadata.
fn take_keys(reading: &Reading, stored: &Stored) -> Result<()> {
    let Some(keys) = reading.store.keys() else { return Ok(()) };
    for row in (0..stored.len()).filter(|row| stored.key_metadata.is_valid(*row)) {
        let length = u64::try_from(stored.size.value(row)).ok();
        keys.add(&reading.relocation.apply(stored.path.value(row)), stored.key_metadata.value(row), length)?;
    }
    Ok(())
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
    let keyed = match (reading.store.keys(), &manifest.key_metadata) {
        (Some(keys), Some(key_metadata)) => {
            let length = u64::try_from(manifest.manifest_length).ok();
            split(keys.add(&reading.relocation.apply(&manifest.manifest_path), key_metadata, length))?
        }
        _ => Ok(()),
    };
    let read = match keyed {
        Ok(()) => reading.bytes(&manifest.manifest_path)?,
        Err(error) => Err(error),
    };
    match read {
        Ok(bytes) => {
            let mut checked = check_manifest(known, manifest, &bytes);
            if let Some(stored) = &checked.stored
                && let Err(error) = split(take_keys(reading, stored))?
            {
                checked.found.add(&MANIFEST_READABLE, "", error);
            }
            Ok(checked)
        }
        Err(error) => {
            let mut found = Findings::of(&manifest.manifest_path);
            found.add(&MANIFEST_READABLE, "", error);
            Ok(CheckedManifest { found, digest: Digest::default(), stored: None })
        }
    }
}
