//! Which entries of the current snapshot are findings of?
//!
//! In: findings of manifests, by the number of an entry, and findings of files, by their paths. Out: the entries.
//! Spec: Manifests; Manifest Entry Fields.
//!
//! Invariant: memory holds one manifest, and the entries that findings are of.

use std::collections::HashMap;
use std::sync::Arc;

use floeberg_core::finding::split;
use floeberg_core::{Cancel, Error, Result};
use floeberg_iceberg::Table;
use floeberg_iceberg::manifest::{
    EntryRequest, EntryStatus, ManifestCache, ManifestEntries, ManifestEntry, ManifestFile, ManifestReader,
};
use floeberg_io::location::canonical;

/// An entry that findings are of.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) manifest: String,
    pub(super) spec_id: i32,
    pub(super) entry: ManifestEntry,
    /// The findings, by their numbers.
    pub(super) findings: Vec<usize>,
}

/// What is looked for.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// By the path of a manifest, and the number of an entry.
    pub(super) by_entry: HashMap<String, HashMap<usize, Vec<usize>>>,
    /// By the path of a live file.
    pub(super) by_file: HashMap<String, Vec<usize>>,
}

impl Wanted {
    /// An entry of a manifest.
    pub(super) fn add_entry(&mut self, manifest: &str, entry: usize, finding: usize) {
        self.by_entry.entry(manifest.to_owned()).or_default().entry(entry).or_default().push(finding);
    }

    /// A live file.
    pub(super) fn add_file(&mut self, path: &str, finding: usize) {
        self.by_file.entry(canonical(path).to_owned()).or_default().push(finding);
    }
}

/// What the manifests of a snapshot list.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) targets: Vec<Target>,
    /// The manifests that cannot be read, and why.
    pub(super) unread: Vec<(String, Error)>,
    /// The manifests that a list calls empty, and that are not.
    pub(super) called_empty: Vec<String>,
}

/// Looks for entries.
///
/// Errors: those of the store.
pub(super) fn find(
    table: &Table,
    manifests: &[ManifestFile],
    wanted: &Wanted,
    cancel: &Cancel,
) -> Result<Found> {
    // As they are now, whatever this process knows of them.
    let reader = ManifestReader { cache: Arc::new(ManifestCache::new(0)), ..table.manifest_reader(cancel)? };
    let mut found = Found::default();
    for manifest in manifests {
        cancel.check()?;
        match split(read(table, &reader, manifest))? {
            Ok(entries) => add(table, manifest, &entries, wanted, &mut found)?,
            Err(error) => found.unread.push((manifest.manifest_path.clone(), error)),
        }
    }
    Ok(found)
}

fn read(table: &Table, reader: &ManifestReader, manifest: &ManifestFile) -> Result<ManifestEntries> {
    let metadata = table.metadata();
    let partition_type = metadata.spec(manifest.partition_spec_id)?.partition_type(metadata)?;
    let request = EntryRequest { with_deleted: true, with_metrics: true, ..EntryRequest::default() };
    reader.entries(manifest, &partition_type, &request)
}

fn add(
    table: &Table,
    manifest: &ManifestFile,
    entries: &ManifestEntries,
    wanted: &Wanted,
    found: &mut Found,
) -> Result<()> {
    let metadata = table.metadata();
    let partition_type = metadata.spec(manifest.partition_spec_id)?.partition_type(metadata)?;
    let named = wanted.by_entry.get(&manifest.manifest_path);
    let mut is_live = false;
    for row in 0..entries.len() {
        let is_deleted = entries.status.value(row) == floeberg_iceberg::manifest::DELETED;
        is_live |= !is_deleted;
        let by_entry = named.and_then(|rows| rows.get(&row)).into_iter().flatten();
        let path = canonical(entries.file_path.value(row));
        let by_file = wanted.by_file.get(path).filter(|_| !is_deleted).into_iter().flatten();
        let findings: Vec<usize> = by_entry.chain(by_file).copied().collect();
        if !findings.is_empty() {
            found.targets.push(Target {
                manifest: manifest.manifest_path.clone(),
                spec_id: manifest.partition_spec_id,
                entry: entries.entry(row, &partition_type)?,
                findings,
            });
        }
    }
    let is_called_empty = manifest.added_files_count == Some(0) && manifest.existing_files_count == Some(0);
    if is_live && is_called_empty {
        found.called_empty.push(manifest.manifest_path.clone());
    }
    Ok(())
}

impl Target {
    /// Is it an entry of a file that went?
    pub(super) fn is_deleted(&self) -> bool {
        self.entry.status == EntryStatus::Deleted
    }
}
