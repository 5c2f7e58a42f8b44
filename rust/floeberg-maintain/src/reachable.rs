//! Which files did a table have that was dropped?
//!
//! In: its last metadata file, opened. Out: all files that it and the metadata files of its log reach.
//! Spec: Table Metadata Fields (`metadata-log`); Snapshots; Manifests; File System Tables.
//!
//! Invariant: what names files comes after them, and the last metadata file at the end. A list or a manifest of the last metadata file
//! that cannot be read is an error, and so is one that is damaged, whoever names it. What earlier metadata files alone name may be gone:
//! its snapshots have expired.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use floeberg_core::{Cancel, ErrorKind, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::Table;
use floeberg_iceberg::manifest::{FileRole, LiveFiles, ManifestFile, ManifestReader, ReachableFile};
use floeberg_iceberg::metadata::{
    Snapshot, SnapshotManifests, TableMetadata, check_latest_version, open_metadata,
};

use crate::place::{Place, Places};
use crate::unneeded::{order, statistics};

/// How many metadata files, or manifests, are read before what they name is compared.
const AT_ONCE: usize = 16;

/// The files of a table that was dropped, each once, in the order in which they may be removed. Metadata files of the log that are gone
/// are not among them.
///
/// Errors: `InvalidInput` for a table in a file system that has a later version; `InvalidData` for a damaged file; `NotFound` for a
/// manifest list or a manifest that is missing, and for a metadata file of another table; `Cancelled`; those of the store.
pub fn files_of_dropped_table(table: &Table, cancel: &Cancel) -> Result<Vec<ReachableFile>> {
    let reader = table.manifest_reader(cancel)?;
    let hint = check_latest_version(reader.store.as_ref(), table.metadata_location())?;
    let mut found = Found::default();
    for file in table.reachable_files(cancel)?.strict() {
        let file = file?;
        // Metadata files are found with what they name.
        if file.role != FileRole::Metadata {
            found.add(file);
        }
    }
    add_earlier(&mut found, table, &reader)?;
    found.files.sort_by_key(|file| order(file.role));
    let last = [hint, Some(table.metadata_location().to_owned())].into_iter().flatten();
    found.files.extend(last.map(|location| ReachableFile { role: FileRole::Metadata, location }));
    Ok(found.files)
}

/// Files, each once.
#[derive(Default)]
struct Found {
    files: Vec<ReachableFile>,
    places: Places<'static>,
    seen: HashSet<Place>,
}

impl Found {
    /// Is it a new one?
    fn add(&mut self, file: ReachableFile) -> bool {
        let is_new = self.seen.insert(self.places.of(&file.location));
        if is_new {
            self.files.push(file);
        }
        is_new
    }
}

/// Adds the metadata files of the log, those of their logs, and what they name.
fn add_earlier(found: &mut Found, table: &Table, reader: &ManifestReader) -> Result<()> {
    let mut places = Places::default();
    let mut seen = HashSet::from([places.of(table.metadata_location())]);
    let mut waiting = VecDeque::new();
    let mut wait = |metadata: &TableMetadata, waiting: &mut VecDeque<String>| {
        for entry in metadata.metadata_log.iter().rev() {
            if seen.insert(places.of(&entry.metadata_file)) {
                waiting.push_back(entry.metadata_file.clone());
            }
        }
    };
    wait(table.metadata(), &mut waiting);
    let mut snapshots: HashSet<i64> =
        table.metadata().snapshots.iter().map(|each| each.snapshot_id).collect();
    while !waiting.is_empty() {
        let some: Vec<String> = waiting.drain(..AT_ONCE.min(waiting.len())).collect();
        let read = ordered(&some, reader.threads, &reader.cancel, |written| {
            let location = reader.relocation.apply(written);
            if_there(open_metadata(reader.store.as_ref(), &location).map(|(_, metadata)| metadata))
        })?;
        for (location, metadata) in some.into_iter().zip(read) {
            let Some(metadata) = metadata else { continue };
            metadata.check_same_table(table.metadata())?;
            wait(&metadata, &mut waiting);
            for location in statistics(&metadata)? {
                found.add(ReachableFile { role: FileRole::Statistics, location });
            }
            let expired = metadata.snapshots.iter().filter(|each| snapshots.insert(each.snapshot_id));
            let expired: Vec<Arc<Snapshot>> = expired.cloned().collect();
            add_expired(found, &metadata, &expired, reader)?;
            found.add(ReachableFile { role: FileRole::Metadata, location });
        }
    }
    Ok(())
}

/// Adds the files of snapshots that expired, as far as they are there.
fn add_expired(
    found: &mut Found,
    metadata: &TableMetadata,
    snapshots: &[Arc<Snapshot>],
    reader: &ManifestReader,
) -> Result<()> {
    let live = LiveFiles::new(metadata)?;
    let lists =
        ordered(snapshots, reader.threads, &reader.cancel, |snapshot| if_there(reader.manifests(snapshot)))?;
    let mut manifests: Vec<ManifestFile> = Vec::new();
    for (snapshot, list) in snapshots.iter().zip(lists) {
        let Some(list) = list else { continue };
        if let SnapshotManifests::List(location) = &snapshot.manifests {
            found.add(ReachableFile { role: FileRole::ManifestList, location: location.clone() });
        }
        for manifest in list {
            let location = manifest.manifest_path.clone();
            if found.add(ReachableFile { role: FileRole::Manifest, location }) {
                manifests.push(manifest);
            }
        }
    }
    for some in manifests.chunks(AT_ONCE) {
        let read =
            ordered(some, reader.threads, &reader.cancel, |manifest| if_there(live.read(reader, manifest)))?;
        for file in read.into_iter().flatten().flatten() {
            found.add(file);
        }
    }
    Ok(())
}

/// What is there; `None` for what is not.
pub(crate) fn if_there<T>(read: Result<T>) -> Result<Option<T>> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
