//! Which files did a table need before, and does not need now?
//!
//! In: a table before and after snapshots expired. Out: the files that only the expired snapshots needed.
//! Spec: Snapshot Retention Policy; Snapshots; Manifests.
//!
//! Invariant: a file that a snapshot of the table still needs is never returned, however often its path was added: all manifests of the
//! snapshots that are left are read before the first file is. A manifest that cannot be read is an error. Memory holds the files that
//! may go, not those that stay.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use floeberg_core::{Cancel, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::Table;
use floeberg_iceberg::manifest::{AllManifests, FileRole, LiveFiles, ReachableFile};
use floeberg_iceberg::metadata::{Snapshot, SnapshotManifests, TableMetadata};

use crate::place::{Place, Places};

/// How many manifests are read before their files are compared.
const AT_ONCE: usize = 64;

/// The files that `before` needed and `after` does not: data files first, then deletes, statistics, manifests and manifest lists.
///
/// Metadata files are not among them: those of the metadata log belong to it. Errors: `InvalidData` for a damaged manifest; `NotFound`
/// for one that is missing; `Cancelled`; those of the store.
pub fn unneeded_files(before: &Table, after: &Table, cancel: &Cancel) -> Result<Vec<ReachableFile>> {
    let (old, new) = (before.metadata(), after.metadata());
    let left: HashSet<i64> = new.snapshots.iter().map(|snapshot| snapshot.snapshot_id).collect();
    let gone: Vec<Arc<Snapshot>> =
        old.snapshots.iter().filter(|snapshot| !left.contains(&snapshot.snapshot_id)).cloned().collect();
    if gone.is_empty() {
        return Ok(Vec::new());
    }
    let mut places = Places::default();
    let reader = after.manifest_reader(cancel)?;
    let stay =
        AllManifests::new(reader.clone(), new.snapshots.clone()).strict().collect::<Result<Vec<_>>>()?;
    let staying: HashSet<Place> = stay.iter().map(|manifest| places.of(&manifest.manifest_path)).collect();
    let old_reader = before.manifest_reader(cancel)?;
    let mut candidates = AllManifests::new(old_reader.clone(), gone.clone()).collect::<Result<Vec<_>>>()?;
    candidates.retain(|manifest| !staying.contains(&places.of(&manifest.manifest_path)));

    let mut files = BTreeSet::new();
    let types = LiveFiles::new(old)?.strict();
    for some in candidates.chunks(AT_ONCE) {
        let read = ordered(some, old_reader.threads, cancel, |manifest| types.read(&old_reader, manifest))?;
        files.extend(read.into_iter().flatten());
    }
    let mut by_place: HashSet<Place> =
        files.iter().map(|file: &ReachableFile| places.of(&file.location)).collect();
    let types = LiveFiles::new(new)?.strict();
    for some in stay.chunks(AT_ONCE) {
        if by_place.is_empty() {
            break;
        }
        let read = ordered(some, reader.threads, cancel, |manifest| types.read(&reader, manifest))?;
        for file in read.into_iter().flatten() {
            by_place.remove(&places.of(&file.location));
        }
    }
    files.retain(|file| by_place.contains(&places.of(&file.location)));

    let mut found: Vec<ReachableFile> = files.into_iter().collect();
    found.sort_by_key(|file| order(file.role));
    found.extend(only(statistics(old)?, &statistics(new)?, FileRole::Statistics));
    let paths = candidates.into_iter().map(|manifest| manifest.manifest_path).collect();
    found.extend(only(paths, &[], FileRole::Manifest));
    found.extend(only(lists(&gone), &lists(&new.snapshots), FileRole::ManifestList));
    Ok(found)
}

/// The place of a role in the order of removal: what names files comes after them.
pub(crate) fn order(role: FileRole) -> u8 {
    match role {
        FileRole::Data => 0,
        FileRole::PositionDeletes => 1,
        FileRole::EqualityDeletes => 2,
        FileRole::Statistics => 3,
        FileRole::Manifest => 4,
        FileRole::ManifestList => 5,
        FileRole::Metadata => 6,
    }
}

/// Those that are not among the others, each once.
fn only(locations: Vec<String>, others: &[String], role: FileRole) -> Vec<ReachableFile> {
    let mut places = Places::default();
    let mut seen: HashSet<Place> = others.iter().map(|location| places.of(location)).collect();
    let new = locations.into_iter().filter(|location| seen.insert(places.of(location)));
    new.map(|location| ReachableFile { role, location }).collect()
}

/// The statistics files of a table.
pub(crate) fn statistics(metadata: &TableMetadata) -> Result<Vec<String>> {
    let of_snapshots = metadata.statistics_files()?.into_iter().map(|file| file.statistics_path);
    let of_partitions = metadata.partition_statistics_files()?.into_iter().map(|file| file.statistics_path);
    Ok(of_snapshots.chain(of_partitions).collect())
}

fn lists(snapshots: &[Arc<Snapshot>]) -> Vec<String> {
    let list = |snapshot: &Arc<Snapshot>| match &snapshot.manifests {
        SnapshotManifests::List(location) => Some(location.clone()),
        SnapshotManifests::Inline(_) => None,
    };
    snapshots.iter().filter_map(list).collect()
}
