//! Which files did a table need before, and does not need now?
//!
//! In: a table before and after snapshots expired. Out: the files that only the expired snapshots needed.
//! Spec: Snapshot Retention Policy; Snapshots; Manifests.
//!
//! Several workers may read the manifests of the snapshots that stay: `expiry_parts`.
//!
//! Invariant: a file that a snapshot of the table still needs is never returned, however often its path was added: of the snapshots that
//! are left all manifests are read that may name one. A manifest of them that cannot be read is an error. Memory holds the files that may
//! go, not those that stay.

#[cfg(test)]
mod kit;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use floeberg_core::{Cancel, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::Table;
use floeberg_iceberg::manifest::{
    AllManifests, FileRole, LiveFiles, ManifestFile, ManifestReader, ReachableFile,
};
use floeberg_iceberg::metadata::{Snapshot, SnapshotManifests, TableMetadata};

use crate::earlier::{BYTES_OF_A_QUESTION, MayGo, without_earlier};
use crate::place::{Place, Places, last_name};

/// How many manifests are read before their files are compared.
const AT_ONCE: usize = 64;

/// The files that `before` needed and `after` does not: data files first, then deletes, statistics, manifests and manifest lists.
///
/// Metadata files are not among them: those of the metadata log belong to it. Errors: `InvalidData` for a damaged manifest; `NotFound`
/// for one that is missing; `Cancelled`; those of the store.
pub fn unneeded_files(before: &Table, after: &Table, cancel: &Cancel) -> Result<Vec<ReachableFile>> {
    ExpiredFiles::find(before, after, cancel)?.unneeded_here(cancel)
}

/// The files that snapshots needed which expired, and the manifests that say which of them others need.
#[derive(Debug)]
pub struct ExpiredFiles {
    /// Data files and delete files.
    pub(crate) files: Vec<ReachableFile>,
    /// The manifests of the snapshots that stay, without those that are too old to name one of the files.
    pub(crate) stay: Vec<ManifestFile>,
    pub(crate) live: LiveFiles,
    reader: ManifestReader,
    /// The files that go in any case, in order.
    others: Vec<ReachableFile>,
}

impl ExpiredFiles {
    /// Finds them. Of the snapshots that expired all manifests are read that no other snapshot has.
    ///
    /// Errors: those of [`unneeded_files`].
    pub fn find(before: &Table, after: &Table, cancel: &Cancel) -> Result<Self> {
        let (old_reader, reader) = (before.manifest_reader(cancel)?, after.manifest_reader(cancel)?);
        Self::of((before.metadata(), &old_reader), (after.metadata(), &reader), Some(BYTES_OF_A_QUESTION))
    }

    /// The same, with the readers of the manifests. Without bytes for a question, no manifest is too old.
    pub(crate) fn of(
        (old, old_reader): (&TableMetadata, &ManifestReader),
        (new, reader): (&TableMetadata, &ManifestReader),
        bytes_of_a_question: Option<u64>,
    ) -> Result<Self> {
        let live = LiveFiles::new(new)?.strict();
        let nothing = |live| Self {
            files: Vec::new(),
            stay: Vec::new(),
            live,
            reader: reader.clone(),
            others: Vec::new(),
        };
        let left: HashSet<i64> = new.snapshots.iter().map(|snapshot| snapshot.snapshot_id).collect();
        let gone: Vec<Arc<Snapshot>> =
            old.snapshots.iter().filter(|snapshot| !left.contains(&snapshot.snapshot_id)).cloned().collect();
        if gone.is_empty() {
            return Ok(nothing(live));
        }
        let mut places = Places::default();
        let mut stay =
            AllManifests::new(reader.clone(), new.snapshots.clone()).strict().collect::<Result<Vec<_>>>()?;
        let staying: HashSet<Place> =
            stay.iter().map(|manifest| places.of(&manifest.manifest_path)).collect();
        let mut candidates =
            AllManifests::new(old_reader.clone(), gone.clone()).collect::<Result<Vec<_>>>()?;
        candidates.retain(|manifest| !staying.contains(&places.of(&manifest.manifest_path)));

        let mut files: BTreeMap<ReachableFile, Option<i64>> = BTreeMap::new();
        let types = LiveFiles::new(old)?.strict();
        for some in candidates.chunks(AT_ONCE) {
            let read = ordered(some, old_reader.threads, &old_reader.cancel, |manifest| {
                types.read_with_sequence_numbers(old_reader, manifest)
            })?;
            for (file, added_at) in read.into_iter().flatten() {
                files.entry(file).and_modify(|first| *first = added_at.min(*first)).or_insert(added_at);
            }
        }
        if let Some(bytes) = bytes_of_a_question {
            let may_go: Vec<MayGo<'_>> = files
                .iter()
                .map(|(file, added_at)| MayGo { location: &file.location, added_at: *added_at })
                .collect();
            stay = without_earlier(stay, &may_go, (&old.snapshots, &new.snapshots), reader, bytes)?;
        }
        let mut others = only(statistics(old)?, &statistics(new)?, FileRole::Statistics);
        let paths = candidates.into_iter().map(|manifest| manifest.manifest_path).collect();
        others.extend(only(paths, &[], FileRole::Manifest));
        others.extend(only(lists(&gone), &lists(&new.snapshots), FileRole::ManifestList));
        Ok(Self { files: files.into_keys().collect(), stay, others, ..nothing(live) })
    }

    /// The files that nothing needs any more. The manifests are read here.
    ///
    /// Errors: those of [`unneeded_files`].
    pub fn unneeded_here(&self, cancel: &Cancel) -> Result<Vec<ReachableFile>> {
        let reader = ManifestReader { cancel: cancel.clone(), ..self.reader.clone() };
        let needed = needed(self.files.iter(), &self.stay, &self.live, &reader)?;
        let mut places = Places::default();
        Ok(self.unneeded(|file| needed.contains(&places.of(&file.location))))
    }

    /// The files that nothing needs any more, in the order in which they may be removed.
    pub(crate) fn unneeded(&self, mut is_needed: impl FnMut(&ReachableFile) -> bool) -> Vec<ReachableFile> {
        let mut found: Vec<ReachableFile> =
            self.files.iter().filter(|file| !is_needed(file)).cloned().collect();
        found.sort_by_key(|file| order(file.role));
        found.extend(self.others.iter().cloned());
        found
    }
}

/// The places of those files that manifests name as live.
fn needed<'a>(
    files: impl Iterator<Item = &'a ReachableFile> + Clone,
    manifests: &[ManifestFile],
    types: &LiveFiles,
    reader: &ManifestReader,
) -> Result<HashSet<Place>> {
    // Most of a table's files have other names, which is faster to see than where they are.
    let names: HashSet<&str> = files.clone().map(|file| last_name(&file.location)).collect();
    let mut places = Places::default();
    let by_place: HashSet<Place> = files.map(|file| places.of(&file.location)).collect();
    let mut found = HashSet::new();
    for some in manifests.chunks(AT_ONCE) {
        if found.len() == by_place.len() {
            break;
        }
        let read = ordered(some, reader.threads, &reader.cancel, |manifest| {
            let locations = types.locations(reader, manifest)?;
            let same = locations.iter().flatten().filter(|location| names.contains(last_name(location)));
            Ok(same.map(str::to_owned).collect::<Vec<_>>())
        })?;
        let read = read.into_iter().flatten().map(|location| places.of(&location));
        found.extend(read.filter(|place| by_place.contains(place)));
    }
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
