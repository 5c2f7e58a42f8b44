//! What is wrong with the files of a snapshot, all together?
//!
//! In: digests of manifests, and which snapshots have which. Out: findings.
//! Spec: Scan Planning; Deletion Vectors; Row Lineage; Optional Snapshot Summary Fields.
//!
//! Invariant: a live file takes some 80 bytes here, however many snapshots have its manifest.

use std::collections::{HashMap, HashSet};

use floeberg_iceberg::manifest::ManifestFile;
use floeberg_iceberg::metadata::Snapshot;

use crate::check::rules::manifests::{
    ADDED_ROWS, DANGLING_VECTOR, DELETE_PARTITION, DELETE_SEQUENCE, LIVE_ONCE, ONE_VECTOR, ROW_IDS_OVERLAP,
    SUMMARY_CHANGES, SUMMARY_TOTALS,
};
use floeberg_core::finding::Findings;

use super::digest::{Digest, LiveFile, Sums, Target, key_of};

/// A manifest, and the snapshots that have it, by their numbers, ascending.
#[derive(Debug)]
struct Manifest {
    location: String,
    added_by: Option<i64>,
    first_row_id: Option<i64>,
    snapshots: Vec<u32>,
    live: Sums,
    added: Sums,
    removed: Sums,
    assigned: i64,
    is_read: bool,
}

/// The files of the snapshots that are checked.
#[derive(Debug, Default)]
pub(in crate::check) struct Across {
    manifests: Vec<Manifest>,
    by_path: HashMap<String, u32>,
    /// Hashes of what manifest lists say of manifests.
    entries: HashSet<u128>,
    files: Vec<(u32, LiveFile)>,
    targets: Vec<(u32, Target)>,
}

impl Across {
    /// Adds a manifest of a snapshot; gives its number if it is new.
    pub(in crate::check) fn add(&mut self, manifest: &ManifestFile, snapshot: u32) -> Option<u32> {
        if let Some(number) = self.by_path.get(&manifest.manifest_path) {
            let snapshots = &mut self.manifests[*number as usize].snapshots;
            if snapshots.last() != Some(&snapshot) {
                snapshots.push(snapshot);
            }
            return None;
        }
        let number = u32::try_from(self.manifests.len()).ok()?;
        self.by_path.insert(manifest.manifest_path.clone(), number);
        self.manifests.push(Manifest {
            location: manifest.manifest_path.clone(),
            added_by: manifest.added_snapshot_id,
            first_row_id: manifest.first_row_id,
            snapshots: vec![snapshot],
            live: Sums::default(),
            added: Sums::default(),
            removed: Sums::default(),
            assigned: 0,
            is_read: false,
        });
        Some(number)
    }

    /// Remembers what a manifest list says of a manifest; false if another one said the same.
    pub(in crate::check) fn is_new_entry(&mut self, manifest: &ManifestFile) -> bool {
        self.entries.insert(key_of(&format!("{manifest:?}"), None))
    }

    /// Adds what was found in a manifest that was read.
    pub(in crate::check) fn add_digest(&mut self, number: u32, digest: Digest) {
        if let Some(manifest) = self.manifests.get_mut(number as usize) {
            manifest.live = digest.live;
            manifest.added = digest.added;
            manifest.removed = digest.removed;
            manifest.assigned = digest.assigned;
            manifest.is_read = true;
        }
        self.files.extend(digest.files.into_iter().map(|file| (number, file)));
        self.targets.extend(digest.targets.into_iter().map(|target| (number, target)));
    }

    /// The newest snapshot that has a manifest, by its number.
    pub(in crate::check) fn newest_snapshot(&self, manifest: u32) -> u32 {
        self.manifests
            .get(manifest as usize)
            .and_then(|manifest| manifest.snapshots.last().copied())
            .unwrap_or(0)
    }

    /// How many rows a live data file has. Files were checked before.
    pub(in crate::check) fn rows_of(&self, path: &str) -> Option<i64> {
        let (_, file) = self.files_of(key_of(path, None)).find(|(_, file)| file.is_data)?;
        Some(file.rows)
    }

    /// Is a manifest the first one that has a live file? Files were checked before.
    pub(in crate::check) fn is_first(&self, key: u128, manifest: u32) -> bool {
        self.files_of(key).next().is_none_or(|(first, _)| *first == manifest)
    }

    /// The live files with a hash, once files are sorted.
    fn files_of(&self, key: u128) -> impl Iterator<Item = &(u32, LiveFile)> {
        let start = self.files.partition_point(|(_, file)| file.key < key);
        self.files[start..].iter().take_while(move |(_, file)| file.key == key)
    }

    /// Checks the live files of all manifests against each other, and sorts them.
    pub(in crate::check) fn check_files(&mut self) -> Findings {
        let mut found = Findings::default();
        self.files.sort_unstable_by_key(|(manifest, file)| (file.key, *manifest, file.entry));
        for pair in self.files.windows(2) {
            let [(one, first), (other, second)] = pair else { continue };
            if first.key == second.key && self.are_together(*one, *other) {
                let message = format_args!(
                    "it is live as entry {} of {} too",
                    first.entry, self.manifests[*one as usize].location
                );
                found.extend(self.finding(&LIVE_ONCE, *other, second.entry, message));
            }
        }
        self.check_targets(&mut found);
        self.check_row_ids(&mut found);
        found
    }

    fn finding(
        &self,
        rule: &'static floeberg_core::finding::Rule,
        manifest: u32,
        entry: u32,
        message: impl std::fmt::Display,
    ) -> Findings {
        let mut found = Findings::of(&self.manifests[manifest as usize].location);
        found.add(rule, format_args!("entry {entry}"), message);
        found
    }

    /// Does one snapshot have both manifests?
    fn are_together(&self, one: u32, other: u32) -> bool {
        let (one, other) = (&self.manifests[one as usize], &self.manifests[other as usize]);
        one.snapshots.iter().any(|snapshot| other.snapshots.binary_search(snapshot).is_ok())
    }

    fn check_targets(&self, found: &mut Findings) {
        let mut vectors: HashMap<u128, Vec<u32>> = HashMap::new();
        for (manifest, target) in &self.targets {
            let files = || self.files_of(target.key);
            let together =
                || files().filter(|(other, file)| file.is_data && self.are_together(*manifest, *other));
            let is_live_everywhere = self.manifests[*manifest as usize].snapshots.iter().all(|snapshot| {
                files().any(|(other, file)| {
                    file.is_data && self.manifests[*other as usize].snapshots.binary_search(snapshot).is_ok()
                })
            });
            // Files of position deletes may name files that are gone.
            if target.is_vector && !is_live_everywhere {
                let message = format_args!("the data file {} is not live", target.path);
                found.extend(self.finding(&DANGLING_VECTOR, *manifest, target.entry, message));
            }
            for (_, file) in together() {
                if file.partition != target.partition {
                    let message =
                        format_args!("the data file {} is of another spec or partition", target.path);
                    found.extend(self.finding(&DELETE_PARTITION, *manifest, target.entry, message));
                }
                if file.sequence > target.sequence {
                    let (own, of) = (target.sequence, file.sequence);
                    let message = format_args!("it has {own}, and the data file {} has {of}", target.path);
                    found.extend(self.finding(&DELETE_SEQUENCE, *manifest, target.entry, message));
                }
            }
            if target.is_vector {
                let others = vectors.entry(target.key).or_default();
                if others.iter().any(|other| self.are_together(*manifest, *other)) {
                    let message = format_args!("the data file {} has another one", target.path);
                    found.extend(self.finding(&ONE_VECTOR, *manifest, target.entry, message));
                }
                others.push(*manifest);
            }
        }
    }

    fn check_row_ids(&self, found: &mut Findings) {
        let mut ranges: Vec<_> =
            self.files.iter().filter(|(_, file)| file.first_row_id >= 0 && file.rows > 0).collect();
        ranges.sort_unstable_by_key(|(_, file)| file.first_row_id);
        let mut before: Option<&(u32, LiveFile)> = None;
        for range in ranges {
            let (manifest, file) = range;
            let end = |file: &LiveFile| file.first_row_id.saturating_add(file.rows);
            if let Some((other, earlier)) = before
                && earlier.key != file.key
                && end(earlier) > file.first_row_id
            {
                let message = format_args!(
                    "its row ids begin at {}, and entry {} of {} has those up to {}",
                    file.first_row_id,
                    earlier.entry,
                    self.manifests[*other as usize].location,
                    end(earlier)
                );
                found.extend(self.finding(&ROW_IDS_OVERLAP, *manifest, file.entry, message));
            }
            if before.is_none_or(|(_, earlier)| end(file) >= end(earlier)) {
                before = Some(range);
            }
        }
    }

    /// Checks what a snapshot, by its number, says of its files. `is_whole` is false where only new manifests were read.
    pub(in crate::check) fn check_snapshot(
        &self,
        number: u32,
        snapshot: &Snapshot,
        metadata_location: &str,
        is_whole: bool,
    ) -> Findings {
        let mut found = Findings::of_snapshot(metadata_location, snapshot.snapshot_id);
        let own: Vec<_> =
            self.manifests.iter().filter(|each| each.snapshots.binary_search(&number).is_ok()).collect();
        if own.iter().any(|manifest| !manifest.is_read) {
            return found;
        }
        let is_added = |manifest: &Manifest| manifest.added_by == Some(snapshot.snapshot_id);
        let (mut live, mut added, mut removed) = (Sums::default(), Sums::default(), Sums::default());
        for manifest in &own {
            live.plus(&manifest.live);
            if is_added(manifest) {
                added.plus(&manifest.added);
                removed.plus(&manifest.removed);
            }
        }
        if is_whole {
            for (name, count) in totals(&live) {
                compare(&mut found, &SUMMARY_TOTALS, snapshot, name, count);
            }
        }
        // Manifests that version 1 names without a list are of no known snapshot.
        if own.iter().all(|manifest| manifest.added_by.is_some()) {
            for (name, count) in changes(&added, &removed) {
                compare(&mut found, &SUMMARY_CHANGES, snapshot, name, count);
            }
        }
        if let (Some(first), Some(rows)) = (snapshot.first_row_id, snapshot.added_rows) {
            for manifest in own {
                let Some(own) = manifest.first_row_id.filter(|own| *own >= first) else { continue };
                let end = own.saturating_add(manifest.assigned);
                if end > first.saturating_add(rows) {
                    let message = format_args!(
                        "{} has the row ids {own} to {end}, and the snapshot assigns {first} to {}",
                        manifest.location,
                        first.saturating_add(rows)
                    );
                    found.add(&ADDED_ROWS, "added-rows", message);
                }
            }
        }
        found
    }
}

fn totals(live: &Sums) -> [(&'static str, i64); 6] {
    [
        ("total-records", live.records),
        ("total-data-files", live.data_files),
        ("total-delete-files", live.delete_files),
        ("total-files-size", live.files_size),
        ("total-position-deletes", live.position_deletes),
        ("total-equality-deletes", live.equality_deletes),
    ]
}

fn changes(added: &Sums, removed: &Sums) -> [(&'static str, i64); 12] {
    [
        ("added-records", added.records),
        ("added-data-files", added.data_files),
        ("added-delete-files", added.delete_files),
        ("added-files-size", added.files_size),
        ("added-position-deletes", added.position_deletes),
        ("added-equality-deletes", added.equality_deletes),
        ("deleted-records", removed.records),
        ("deleted-data-files", removed.data_files),
        ("removed-delete-files", removed.delete_files),
        ("removed-files-size", removed.files_size),
        ("removed-position-deletes", removed.position_deletes),
        ("removed-equality-deletes", removed.equality_deletes),
    ]
}

/// What a summary does not say is not wrong.
fn compare(
    found: &mut Findings,
    rule: &'static floeberg_core::finding::Rule,
    snapshot: &Snapshot,
    name: &str,
    expected: i64,
) {
    if let Some(said) = snapshot.summary.get(name)
        && said.parse() != Ok(expected)
    {
        found.add(rule, format_args!("summary.{name}"), format_args!("expected {expected}, found {said:?}"));
    }
}
