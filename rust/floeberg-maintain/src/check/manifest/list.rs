//! What is wrong with the manifest list of a snapshot?
//!
//! Spec: Manifest Lists; First Row ID Assignment.

use std::collections::HashSet;

use floeberg_avro::{Container, Limits};
use floeberg_core::Result;
use floeberg_iceberg::manifest::{ManifestContent, ManifestFile, parse_manifest_list};
use floeberg_iceberg::metadata::Snapshot;

use crate::check::known::Known;
use crate::check::rules::manifests::{
    DELETE_ROW_IDS, LIST_FIELDS, LIST_HEADER, LIST_READABLE, MANIFEST_ONCE, MANIFEST_ROW_IDS,
    MANIFEST_SEQUENCE, MANIFEST_SPEC,
};
use floeberg_core::finding::Findings;

const FROM_1: [i32; 4] = [500, 501, 502, 503];
const FROM_2: [i32; 9] = [517, 515, 516, 504, 505, 506, 512, 513, 514];

/// Checks a list, and reads its rows, which are `None` if it cannot be read.
pub(in crate::check) fn check_list(
    known: &Known,
    snapshot: &Snapshot,
    location: &str,
    bytes: &[u8],
) -> (Findings, Option<Vec<ManifestFile>>) {
    let mut found = Findings::of_snapshot(location, snapshot.snapshot_id);
    let version = match check_header(&mut found, known, snapshot, bytes) {
        Ok(version) => version,
        Err(error) => {
            found.add(&LIST_READABLE, "", error);
            return (found, None);
        }
    };
    let manifests = match parse_manifest_list(bytes, location) {
        Ok(manifests) => manifests,
        Err(error) => {
            // What lacks a field says so in a finding of its own.
            if found.is_empty() {
                found.add(&LIST_READABLE, "", error);
            }
            return (found, None);
        }
    };
    let mut seen = HashSet::new();
    for (row, manifest) in manifests.iter().enumerate() {
        let part = format!("row {row}, {}", manifest.manifest_path);
        if !seen.insert(&manifest.manifest_path) {
            found.add(&MANIFEST_ONCE, &part, "it is there twice");
        }
        if !known.partition_types.contains_key(&manifest.partition_spec_id) {
            let message = format_args!("the table has no partition spec {}", manifest.partition_spec_id);
            found.add(&MANIFEST_SPEC, &part, message);
        }
        if version > 1 {
            check_sequence(&mut found, snapshot, manifest, &part);
        }
        check_row_ids(&mut found, snapshot, manifest, &part);
    }
    (found, Some(manifests))
}

/// The format version of a list, whose header and fields are checked.
fn check_header(found: &mut Findings, known: &Known, snapshot: &Snapshot, bytes: &[u8]) -> Result<u8> {
    let container = Container::open(bytes, &Limits::default())?;
    let parent = snapshot.parent_snapshot_id.map_or_else(|| "null".to_owned(), |id| id.to_string());
    let expected = [
        ("snapshot-id", snapshot.snapshot_id.to_string()),
        ("parent-snapshot-id", parent),
        ("sequence-number", snapshot.sequence_number.to_string()),
    ];
    for (key, expected) in expected {
        if let Some(said) = container.metadata_text(key)?
            && said != expected
        {
            found.add(&LIST_HEADER, key, format_args!("expected {expected}, found {said}"));
        }
    }
    let said = container.metadata_text("format-version")?;
    let version = said.unwrap_or("1").parse::<u8>().unwrap_or(0);
    if !(1..=known.metadata.format_version).contains(&version) {
        let message = format_args!("expected 1 to {}, found {said:?}", known.metadata.format_version);
        found.add(&LIST_HEADER, "format-version", message);
    }
    let schema = container.schema()?;
    if schema.has_ids() {
        let of_2: &[i32] = if version > 1 { &FROM_2 } else { &[] };
        for id in FROM_1.iter().chain(of_2) {
            if schema.field(schema.root(), *id).is_none() {
                found.add(
                    &LIST_FIELDS,
                    format_args!("field {id}"),
                    format_args!("version {version} requires it"),
                );
            }
        }
    }
    Ok(version)
}

fn check_sequence(found: &mut Findings, snapshot: &Snapshot, manifest: &ManifestFile, part: &str) {
    let (number, own) = (manifest.sequence_number, snapshot.sequence_number);
    let is_added = manifest.added_snapshot_id == Some(snapshot.snapshot_id);
    if number > own || is_added != (number == own) {
        let added_by = manifest.added_snapshot_id.unwrap_or(-1);
        let message = format_args!("found {number}, added by snapshot {added_by}; the snapshot has {own}");
        found.add(&MANIFEST_SEQUENCE, part, message);
    }
    if manifest.min_sequence_number > number {
        let message = format_args!("the lowest one is {}, above {number}", manifest.min_sequence_number);
        found.add(&MANIFEST_SEQUENCE, part, message);
    }
}

fn check_row_ids(found: &mut Findings, snapshot: &Snapshot, manifest: &ManifestFile, part: &str) {
    match (manifest.content, manifest.first_row_id) {
        (ManifestContent::Deletes, Some(id)) => {
            found.add(&DELETE_ROW_IDS, part, format_args!("expected none, found {id}"));
        }
        (ManifestContent::Data, None) if snapshot.first_row_id.is_some() => {
            found.add(&MANIFEST_ROW_IDS, part, "expected a first row id, found none");
        }
        (ManifestContent::Data, Some(id)) if id < 0 => {
            found.add(&MANIFEST_ROW_IDS, part, format_args!("expected 0 or more, found {id}"));
        }
        _ => {}
    }
}
