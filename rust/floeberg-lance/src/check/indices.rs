//! Are the indices of a manifest as the format says, and are their files there?
//!
//! In: a manifest. Out: findings. What an index holds is not looked at.
//! Spec: Lance, Index Metadata; Index Storage.

use std::collections::{HashMap, HashSet};

use floeberg_core::Result;
use floeberg_core::finding::{Findings, split};
use roaring::RoaringBitmap;

use super::reading::{Document, Reading};
use super::rules::files::INDEX_FILES;
use super::rules::fragments::{
    BASE_PATH, INDEX_FIELD, INDEX_FRAGMENTS, INDEX_ONCE, INDEX_OVERLAP, INDEX_VERSION, INDICES_READABLE,
};
use crate::metadata::entries;
use crate::wire::IndexMetadata;

/// What engines keep for themselves, which may have no files.
const OF_ENGINES: &str = "__lance_";

/// The indices of a version that can be decoded. Errors: those of the store.
pub(super) fn indices_of(
    reading: &Reading,
    document: &Document,
    found: &mut Findings,
) -> Result<Vec<IndexMetadata>> {
    let section = document.file.indices(reading.store.as_ref());
    let section = section
        .and_then(|section| section.map_or(Ok(Vec::new()), |section| IndexMetadata::parse_section(&section)));
    Ok(split(section)?.unwrap_or_else(|error| {
        found.add(&INDICES_READABLE, "index_section", error);
        Vec::new()
    }))
}

/// Checks the indices of a version.
pub(super) fn check_indices(document: &Document, indices: &[IndexMetadata], found: &mut Findings) {
    let head = &document.file.manifest.head;
    let fields: HashSet<i32> = head.fields.iter().map(|field| field.id).collect();
    let mut ids = HashSet::new();
    let mut covered: HashMap<&str, RoaringBitmap> = HashMap::new();
    for (place, index) in indices.iter().enumerate() {
        let part = format!("index {place}, {:?}", index.name);
        if index.uuid.bytes.len() != 16 {
            let message = format!("expected an id of 16 bytes, found {}", index.uuid.bytes.len());
            found.add(&INDICES_READABLE, &part, message);
        }
        if !ids.insert(&index.uuid.bytes) {
            found.add(&INDEX_ONCE, &part, "expected an id once, found it twice");
        }
        for field in index.fields.iter().chain(&index.covering_fields).filter(|field| !fields.contains(field))
        {
            found.add(&INDEX_FIELD, &part, format_args!("expected the id of a field, found {field}"));
        }
        let version = document.listed.version;
        if index.dataset_version > version {
            let message = format!("expected a version up to {version}, found {}", index.dataset_version);
            found.add(&INDEX_VERSION, &part, message);
        }
        if let Some(id) = index.base_id.filter(|id| head.base_paths.iter().all(|base| base.id != *id)) {
            found.add(
                &BASE_PATH,
                &part,
                format_args!("expected a base path of the manifest, found the id {id}"),
            );
        }
        let fragments = match index.fragments() {
            Ok(fragments) => fragments,
            Err(error) => {
                found.add(&INDICES_READABLE, &part, error);
                continue;
            }
        };
        if let (Some(last), Some(most)) = (fragments.max(), head.max_fragment_id)
            && last > most
        {
            let message =
                format!("expected fragments up to {most}, the highest id that was given, found {last}");
            found.add(&INDEX_FRAGMENTS, &part, message);
        }
        let known = covered.entry(&index.name).or_default();
        if !index.name.starts_with(OF_ENGINES) && !known.is_disjoint(&fragments) {
            let twice = (&*known & &fragments).min().unwrap_or_default();
            let message = format!("expected a fragment in one index of this name, found {twice} in two");
            found.add(&INDEX_OVERLAP, &part, message);
        }
        *known |= fragments;
    }
}

/// Checks that indices have files. Errors: those of the store.
pub(super) fn check_index_files(
    reading: &Reading,
    document: &Document,
    indices: &[IndexMetadata],
    found: &mut Findings,
) -> Result<()> {
    for (place, index) in indices.iter().enumerate().filter(|(_, index)| !index.name.starts_with(OF_ENGINES))
    {
        // Another rule finds what is no place.
        let Ok(folder) = document.bases.index_folder(index.base_id, &index.uuid.bytes) else { continue };
        if split(entries(reading.store.as_ref(), &folder))?.unwrap_or_default().is_empty() {
            let message = format!("expected files in {folder}, found none");
            found.add(&INDEX_FILES, format_args!("index {place}, {:?}", index.name), message);
        }
    }
    Ok(())
}
