//! What do manifests say that the snapshot of the new table does not list?
//!
//! In: the base, and the manifests that are there. Out: files that other manifests list or remove.
//! Spec: Manifest Entry Fields.
//!
//! Invariant: it is said only: a manifest may be of a commit that never was made.

use std::collections::{HashMap, HashSet};

use floeberg_core::Result;
use floeberg_iceberg::metadata::TableMetadata;

use super::avro_files::{AvroFiles, FoundManifest, HeaderColumns, rows_of};
use super::base::{Base, add};
use super::columns::with_headers;
use super::read_whole::{FileKey, ListedFile, read_manifest};
use super::request::{LeftFile, PassedOver, Reader};
use crate::place::Place;

/// Files that manifests beside the base list, or say to be removed.
///
/// Errors: those of the store.
pub(super) fn unproven_files(
    reader: &Reader,
    base: &Base,
    avro: &AvroFiles,
    passed_over: &mut Vec<PassedOver>,
) -> Result<Vec<LeftFile>> {
    let others: Vec<&FoundManifest> = avro
        .manifests
        .iter()
        .filter(|found| !base.known.contains(&reader.place(&found.manifest.manifest_path)))
        .collect();
    if others.is_empty() {
        return Ok(Vec::new());
    }
    let metadata = with_all_columns(&base.metadata, avro, &others, passed_over)?;
    let named_by = snapshots_of_manifests(reader, avro)?;
    let live: HashSet<FileKey> = base
        .manifests
        .iter()
        .flat_map(|manifest| &manifest.files)
        .filter(|file| !file.is_deleted)
        .map(ListedFile::key)
        .collect();
    let (mut seen, mut unproven) = (HashSet::new(), Vec::new());
    for found in others {
        let path = &found.manifest.manifest_path;
        let read = match read_manifest(reader, &metadata, &found.manifest)? {
            Ok(read) => read,
            Err(error) => {
                add(passed_over, PassedOver { location: path.clone(), reason: error.to_string() });
                continue;
            }
        };
        let of = match named_by.get(&reader.place(path)) {
            Some(id) => format!("the manifest {path} of snapshot {id}"),
            None => format!("the manifest {path}, which no manifest list names,"),
        };
        for file in &read.files {
            let is_live = live.contains(&file.key());
            let reason = match (file.is_deleted, is_live) {
                (false, false) => {
                    format!("{of} lists it: nothing proves that it is live, and it is left out")
                }
                (true, true) => {
                    format!("{of} says that it was removed: nothing proves that, and it stays live")
                }
                _ => continue,
            };
            if seen.insert((file.key(), file.is_deleted)) {
                unproven.push(file.left(reason));
            }
        }
    }
    Ok(unproven)
}

/// The columns of a table with those of other manifests, so that these can be read.
pub(super) fn with_all_columns(
    metadata: &TableMetadata,
    avro: &AvroFiles,
    manifests: &[&FoundManifest],
    passed_over: &mut Vec<PassedOver>,
) -> Result<TableMetadata> {
    let mut all = metadata.clone();
    let mut seen = HashSet::new();
    for found in manifests.iter().filter(|found| seen.insert(found.columns)) {
        let header: Option<&HeaderColumns> = avro.columns.get(found.columns);
        let Some(header) = header else { continue };
        match floeberg_core::finding::split(with_headers(all.clone(), &[header], false))? {
            Ok(added) => all = added,
            Err(error) => {
                let location = found.manifest.manifest_path.clone();
                add(passed_over, PassedOver { location, reason: error.to_string() });
            }
        }
    }
    Ok(all)
}

/// The newest snapshot whose list names a manifest.
fn snapshots_of_manifests(reader: &Reader, avro: &AvroFiles) -> Result<HashMap<Place, i64>> {
    let mut lists: Vec<_> = avro.lists.iter().collect();
    lists.sort_by_key(|list| list.header.sequence_number);
    let mut named = HashMap::new();
    for list in lists {
        for row in rows_of(reader, &list.location)?.unwrap_or_default() {
            named.insert(reader.place(&row.manifest_path), list.header.snapshot_id);
        }
    }
    Ok(named)
}
