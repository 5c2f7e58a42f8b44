//! How does a new table list the files that a caller names?
//!
//! In: locations, and manifests that are there. Out: for each file the entry that describes it; files that no manifest lists are left.
//! Spec: Sequence Number Inheritance; First Row ID Inheritance; Scan Planning (a path is live at most once).
//!
//! Invariant: a file keeps the sequence number and the row ids that a manifest proves. An equality delete whose sequence number is not
//! known is an error.

use std::collections::{BTreeMap, HashMap, HashSet};

use floeberg_commit::KeptEntries;
use floeberg_core::{Error, Result};
use floeberg_iceberg::manifest::{ManifestContent, ManifestFile};
use floeberg_iceberg::metadata::TableMetadata;

use super::avro_files::{AvroFiles, FoundManifest, rows_of};
use super::base::add;
use super::read_whole::{FileKey, ListedFile, ReadManifest, read_manifest};
use super::request::{PassedOver, Reader};
use crate::place::Place;

/// The numbers that the new snapshot begins with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counters {
    /// Its sequence number.
    pub(super) sequence_number: i64,
    /// The next row id (v3).
    pub(super) next_row_id: Option<i64>,
}

/// The files that a caller names: their locations by the form in which they are compared.
pub(super) type Named = BTreeMap<Place, String>;

/// Errors: `InvalidInput` for no file, and for one that is named twice.
pub(super) fn named(reader: &Reader, files: &[String]) -> Result<Named> {
    let mut named = Named::new();
    for file in files {
        if let Some(other) = named.insert(reader.place(file), file.clone()) {
            let message =
                format!("files: expected each file once, found one by two names, {other} and {file}");
            return Err(Error::invalid_input(message).with("path", file));
        }
    }
    if named.is_empty() {
        return Err(Error::invalid_input("files: expected the files that are live, found none"));
    }
    Ok(named)
}

/// Entries of manifests beside the base, for the named files that are left.
///
/// Errors: `InvalidInput` for an equality delete without a known sequence number; those of the store.
pub(super) fn entries_of_others(
    reader: &Reader,
    metadata: &TableMetadata,
    avro: &AvroFiles,
    others: &[&FoundManifest],
    left: &mut Named,
    counters: &mut Counters,
    passed_over: &mut Vec<PassedOver>,
) -> Result<Vec<(KeptEntries, Vec<ListedFile>)>> {
    if left.is_empty() {
        return Ok(Vec::new());
    }
    let listed = rows_of_manifests(reader, avro)?;
    // A manifest that a list names says all of its files; of others, entries that are not new ones do.
    let mut ordered: Vec<(bool, &FoundManifest, ManifestFile)> = others
        .iter()
        .map(|found| {
            if let Some(row) = listed.get(&reader.place(&found.manifest.manifest_path)) {
                return (true, *found, row.clone());
            }
            let is_numbered = metadata.format_version >= 2 && found.format_version >= 2;
            let sequence_number = if is_numbered { counters.sequence_number } else { 0 };
            (false, *found, ManifestFile { sequence_number, ..found.manifest.clone() })
        })
        .collect();
    ordered.sort_by_key(|(is_listed, ..)| !*is_listed);
    let mut read = Vec::new();
    for (is_listed, found, row) in ordered {
        // The location of the manifest that was found: lists may spell it otherwise.
        let row = ManifestFile { manifest_path: found.manifest.manifest_path.clone(), ..row };
        // Row ids of entries count only in a manifest that has a first one. New ids follow all that are known.
        let has_new_ids = !is_listed && row.content == ManifestContent::Data;
        let row = if has_new_ids { ManifestFile { first_row_id: counters.next_row_id, ..row } } else { row };
        match read_manifest(reader, metadata, &row)? {
            Ok(manifest) => {
                if let Some(next) = counters.next_row_id.as_mut().filter(|_| has_new_ids) {
                    let ends = manifest.files.iter().filter_map(ListedFile::end_of_row_ids);
                    *next = ends.fold(*next, i64::max);
                }
                read.push((is_listed, manifest));
            }
            Err(error) => {
                let location = row.manifest_path;
                add(passed_over, PassedOver { location, reason: error.to_string() });
            }
        }
    }
    // No number that is known is above that of the new snapshot.
    let numbered = |is_listed: bool, file: &ListedFile| is_listed || !file.is_added;
    let known = read.iter().flat_map(|(is_listed, manifest)| {
        manifest.files.iter().filter(|file| numbered(*is_listed, file)).map(|file| file.sequence_number)
    });
    let highest = known.max().unwrap_or(0);
    if highest >= counters.sequence_number {
        for (_, manifest) in
            read.iter_mut().filter(|(is_listed, read)| !is_listed && read.manifest.sequence_number > 0)
        {
            manifest.manifest.sequence_number = highest.saturating_add(1);
        }
        counters.sequence_number = highest.saturating_add(1);
    }
    let mut kept = Vec::new();
    let mut taken: Vec<Vec<bool>> =
        read.iter().map(|(_, manifest)| vec![false; live(manifest).count()]).collect();
    // A Puffin file has a vector for each of several data files, perhaps in several manifests.
    let mut vectors: HashSet<FileKey> = HashSet::new();
    for takes_new in [false, true] {
        for ((is_listed, manifest), is_taken) in read.iter().zip(&mut taken) {
            for (number, file) in live(manifest).enumerate() {
                let is_unknown = file.is_added && !is_listed && metadata.format_version >= 2;
                if is_unknown != takes_new || !left.contains_key(&file.place) {
                    continue;
                }
                if is_unknown && file.content == 2 {
                    return Err(Error::invalid_input(
                        "files: the sequence number of this equality delete file is not known, since the manifest list that \
                         named its manifest is gone: nothing says which rows it deletes",
                    )
                    .with("path", &file.path));
                }
                if file.is_vector {
                    is_taken[number] = vectors.insert(file.key());
                } else {
                    left.remove(&file.place);
                    is_taken[number] = true;
                }
            }
        }
    }
    for (place, _) in vectors {
        left.remove(&place);
    }
    for ((_, manifest), is_kept) in read.into_iter().zip(taken) {
        if is_kept.contains(&true) {
            let files =
                live(&manifest).zip(&is_kept).filter(|(_, kept)| **kept).map(|(file, _)| file.clone());
            let files = files.collect();
            kept.push((KeptEntries { manifest: manifest.manifest, is_kept }, files));
        }
    }
    Ok(kept)
}

/// The files of a manifest that are not deleted, in its order.
pub(super) fn live(manifest: &ReadManifest) -> impl Iterator<Item = &ListedFile> {
    manifest.files.iter().filter(|file| !file.is_deleted)
}

/// What the newest list says of each manifest.
fn rows_of_manifests(reader: &Reader, avro: &AvroFiles) -> Result<HashMap<Place, ManifestFile>> {
    let mut rows = HashMap::new();
    for list in &avro.lists {
        for row in rows_of(reader, &list.location)?.unwrap_or_default() {
            rows.insert(reader.place(&row.manifest_path), row);
        }
    }
    Ok(rows)
}
