//! Which manifests do snapshots name, and which files can be reached from a table's metadata?
//!
//! In: snapshots, or a table's metadata. Out: manifests, each once; files, with what they are.
//! Spec: Snapshots; Manifest Lists; Manifests; Table Metadata Fields.
//!
//! Invariant: manifests that snapshots share are read once, and every file that a snapshot needs is returned. Memory holds the
//! paths of the manifests, and the entries of one manifest per thread.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::vec::IntoIter;

use arrow_array::StringArray;
use floeberg_core::schema::StructType;
use floeberg_core::{Error, Result};

use super::{EntryRequest, FileContent, ManifestEntries, ManifestFile, ManifestReader};
use crate::metadata::{PartitionSpec, Snapshot, SnapshotManifests, TableMetadata};
use floeberg_exec::threads::ordered;

/// The role of a file in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileRole {
    /// A metadata file: the current one, or one of the metadata log.
    Metadata,
    /// A statistics file of a snapshot, or of its partitions.
    Statistics,
    /// A manifest list.
    ManifestList,
    /// A manifest.
    Manifest,
    /// A data file.
    Data,
    /// A file of position deletes, or of deletion vectors.
    PositionDeletes,
    /// A file of equality deletes.
    EqualityDeletes,
}

/// A file that can be reached from a table's metadata.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReachableFile {
    /// What it is.
    pub role: FileRole,
    /// Its location, as written.
    pub location: String,
}

impl ReachableFile {
    /// A manifest.
    pub fn of_manifest(manifest: &ManifestFile) -> Self {
        Self { role: FileRole::Manifest, location: manifest.manifest_path.clone() }
    }
}

/// The manifests of snapshots, each once, in the order of the snapshots. It ends after an error.
#[derive(Debug)]
pub struct AllManifests {
    reader: ManifestReader,
    snapshots: IntoIter<Arc<Snapshot>>,
    seen: HashSet<String>,
    found: VecDeque<ManifestFile>,
    is_strict: bool,
}

impl AllManifests {
    /// The same, where a list without a manifest of a snapshot with files is an error: it was cut off.
    #[must_use]
    pub fn strict(self) -> Self {
        Self { is_strict: true, ..self }
    }

    /// Of some snapshots. Nothing is read yet.
    pub fn new(reader: ManifestReader, snapshots: Vec<Arc<Snapshot>>) -> Self {
        Self {
            reader,
            snapshots: snapshots.into_iter(),
            seen: HashSet::new(),
            found: VecDeque::new(),
            is_strict: false,
        }
    }

    fn read(&mut self, snapshots: &[Arc<Snapshot>]) -> Result<()> {
        let reader = &self.reader;
        let lists =
            ordered(snapshots, reader.threads, &reader.cancel, |snapshot| reader.manifests(snapshot))?;
        let is_cut = |(snapshot, manifests): &(&Arc<Snapshot>, &Vec<ManifestFile>)| {
            manifests.is_empty() && has_files(snapshot)
        };
        if let Some((snapshot, _)) = snapshots.iter().zip(&lists).find(is_cut).filter(|_| self.is_strict) {
            let message = "the summary of a snapshot counts files, but its list names no manifest";
            return Err(Error::invalid_data(message).with("snapshot", snapshot.snapshot_id));
        }
        for manifest in lists.into_iter().flatten() {
            if !self.seen.contains(&manifest.manifest_path) {
                self.seen.insert(manifest.manifest_path.clone());
                self.found.push_back(manifest);
            }
        }
        Ok(())
    }
}

/// Does the summary of a snapshot count files?
fn has_files(snapshot: &Snapshot) -> bool {
    let counts = |name: &str| snapshot.summary.get(name).and_then(|count| count.parse::<i64>().ok());
    ["total-data-files", "total-delete-files"].into_iter().filter_map(counts).any(|count| count > 0)
}

impl Iterator for AllManifests {
    type Item = Result<ManifestFile>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(manifest) = self.found.pop_front() {
                return Some(Ok(manifest));
            }
            let snapshots: Vec<_> = self.snapshots.by_ref().take(self.reader.threads.max(1)).collect();
            if snapshots.is_empty() {
                return None;
            }
            if let Err(error) = self.read(&snapshots) {
                self.snapshots = Vec::new().into_iter();
                return Some(Err(error));
            }
        }
    }
}

/// Reads the live files of manifests.
#[derive(Debug)]
pub struct LiveFiles {
    partition_types: HashMap<i32, StructType>,
    is_strict: bool,
}

impl LiveFiles {
    /// Of the manifests of a table. Errors: `InvalidData` for a partition spec that does not fit its columns.
    pub fn new(metadata: &TableMetadata) -> Result<Self> {
        let typed = |spec: &Arc<PartitionSpec>| Ok((spec.spec_id, spec.partition_type(metadata)?));
        let partition_types = metadata.partition_specs.iter().map(typed).collect::<Result<_>>()?;
        Ok(Self { partition_types, is_strict: false })
    }

    /// With these types of partition values, by the ids of their specs.
    pub(super) fn of_types(partition_types: HashMap<i32, StructType>) -> Self {
        Self { partition_types, is_strict: false }
    }

    /// With what some manifests need alone.
    pub(super) fn of_manifests(&self, manifests: &[ManifestFile]) -> Self {
        let used: HashSet<i32> = manifests.iter().map(|manifest| manifest.partition_spec_id).collect();
        let types = self.partition_types.iter().filter(|(id, _)| used.contains(id));
        Self {
            partition_types: types.map(|(id, each)| (*id, each.clone())).collect(),
            is_strict: self.is_strict,
        }
    }

    /// The types of partition values, by the ids of their specs.
    pub(super) fn partition_types(&self) -> impl Iterator<Item = (i32, &StructType)> {
        self.partition_types.iter().map(|(id, each)| (*id, each))
    }

    /// The same, where a manifest with fewer files than its list says is an error: it was cut off where a block of it ends.
    #[must_use]
    pub fn strict(self) -> Self {
        Self { is_strict: true, ..self }
    }

    /// The live files of a manifest. Errors: `InvalidData`, naming the manifest; those of the store.
    pub fn read(&self, reader: &ManifestReader, manifest: &ManifestFile) -> Result<Vec<ReachableFile>> {
        Ok(files(&self.entries(reader, manifest, true)?))
    }

    /// The same with the sequence numbers of the commits that added them; `None` where an old writer left it out.
    pub fn read_with_sequence_numbers(
        &self,
        reader: &ManifestReader,
        manifest: &ManifestFile,
    ) -> Result<Vec<(ReachableFile, Option<i64>)>> {
        let entries = self.entries(reader, manifest, false)?;
        let numbers = entries.details()?.file_sequence_number.clone();
        Ok(files(&entries).into_iter().zip(numbers.iter()).collect())
    }

    /// The locations of the live files alone, in one piece of memory. Errors: those of [`read`](Self::read).
    pub fn locations(&self, reader: &ManifestReader, manifest: &ManifestFile) -> Result<StringArray> {
        Ok(self.entries(reader, manifest, true)?.file_path)
    }

    fn entries(
        &self,
        reader: &ManifestReader,
        manifest: &ManifestFile,
        without_details: bool,
    ) -> Result<ManifestEntries> {
        let spec_id = manifest.partition_spec_id;
        let partition_type = self.partition_types.get(&spec_id).ok_or_else(|| {
            Error::invalid_data(format!("partition spec {spec_id} is not in the table metadata"))
                .with("manifest", &manifest.manifest_path)
        })?;
        let wanted = EntryRequest { without_details, ..EntryRequest::default() };
        let entries = reader.entries(manifest, partition_type, &wanted)?;
        if self.is_strict {
            manifest.check_live_files(entries.len())?;
        }
        Ok(entries)
    }
}

/// The files of entries, with what they are.
fn files(entries: &ManifestEntries) -> Vec<ReachableFile> {
    let file = |(path, content): (Option<&str>, &i32)| {
        let role = match content {
            content if *content == FileContent::PositionDeletes as i32 => FileRole::PositionDeletes,
            content if *content == FileContent::EqualityDeletes as i32 => FileRole::EqualityDeletes,
            _ => FileRole::Data,
        };
        ReachableFile { role, location: path.unwrap_or_default().to_owned() }
    };
    entries.file_path.iter().zip(entries.file_content.values()).map(file).collect()
}

impl ManifestFile {
    /// Errors: `InvalidData` where it has another number of live files than its list says: it was cut off where a block of it ends.
    pub fn check_live_files(&self, found: usize) -> Result<()> {
        let expected = self.added_files_count.zip(self.existing_files_count);
        let expected = expected.map(|(added, existing)| added.saturating_add(existing));
        match expected {
            Some(expected) if expected != found as i64 => Err(Error::invalid_data(format!(
                "expected a manifest of {expected} live files, as its list says, found {found}"
            ))
            .with("manifest", &self.manifest_path)),
            _ => Ok(()),
        }
    }
}

/// The files that can be reached from a table's metadata: metadata and statistics files, then manifest lists, then
/// manifests, each before its live files. It ends after an error.
///
/// A data file or delete file is returned once for each manifest that lists it as live.
#[derive(Debug)]
pub struct ReachableFiles {
    manifests: AllManifests,
    live_files: LiveFiles,
    found: VecDeque<ReachableFile>,
}

impl ReachableFiles {
    /// Of a table, whose metadata file is at a location. Nothing is read yet.
    ///
    /// Errors: `InvalidData` for a partition spec that does not fit its columns.
    pub fn new(reader: ManifestReader, metadata: &TableMetadata, metadata_location: &str) -> Result<Self> {
        let file = |role: FileRole, location: &str| ReachableFile { role, location: location.to_owned() };
        let earlier = metadata.metadata_log.iter().map(|entry| entry.metadata_file.as_str());
        let mut found: VecDeque<_> = std::iter::once(metadata_location)
            .chain(earlier)
            .map(|at| file(FileRole::Metadata, at))
            .collect();
        let of_snapshots = metadata.statistics_files()?.into_iter().map(|file| file.statistics_path);
        let of_partitions =
            metadata.partition_statistics_files()?.into_iter().map(|file| file.statistics_path);
        found.extend(of_snapshots.chain(of_partitions).map(|at| file(FileRole::Statistics, &at)));
        found.extend(metadata.snapshots.iter().filter_map(|snapshot| match &snapshot.manifests {
            SnapshotManifests::List(at) => Some(file(FileRole::ManifestList, at)),
            SnapshotManifests::Inline(_) => None,
        }));
        let manifests = AllManifests::new(reader, metadata.snapshots.clone());
        Ok(Self { manifests, live_files: LiveFiles::new(metadata)?, found })
    }

    /// The same, where lists and manifests that were cut off are errors.
    #[must_use]
    pub fn strict(self) -> Self {
        Self { manifests: self.manifests.strict(), live_files: self.live_files.strict(), ..self }
    }

    /// In parts: metadata files, statistics files and manifest lists; manifests; and what reads these. Manifest lists are read.
    ///
    /// Errors: those of the first manifest list that cannot be read.
    pub fn by_manifests(self) -> Result<(Vec<ReachableFile>, Vec<ManifestFile>, LiveFiles)> {
        let manifests = self.manifests.collect::<Result<_>>()?;
        Ok((self.found.into(), manifests, self.live_files))
    }

    /// Their locations alone, without a piece of memory for each. Errors: those of reading them, after which nothing follows.
    pub fn each_location(mut self, mut visit: impl FnMut(&str)) -> Result<()> {
        self.found.iter().for_each(|file| visit(&file.location));
        loop {
            let most = self.manifests.reader.threads.max(1);
            let manifests = self.manifests.by_ref().take(most).collect::<Result<Vec<_>>>()?;
            if manifests.is_empty() {
                return Ok(());
            }
            let reader = &self.manifests.reader;
            let lists = ordered(&manifests, reader.threads, &reader.cancel, |manifest| {
                self.live_files.locations(reader, manifest)
            })?;
            for (manifest, locations) in manifests.iter().zip(lists) {
                visit(&manifest.manifest_path);
                locations.iter().flatten().for_each(&mut visit);
            }
        }
    }

    /// Reads one manifest per thread; false if no manifest is left.
    fn read(&mut self) -> Result<bool> {
        let most = self.manifests.reader.threads.max(1);
        let manifests = self.manifests.by_ref().take(most).collect::<Result<Vec<_>>>()?;
        let reader = &self.manifests.reader;
        let lists = ordered(&manifests, reader.threads, &reader.cancel, |manifest| {
            self.live_files.read(reader, manifest)
        })?;
        for (manifest, files) in manifests.iter().zip(lists) {
            self.found.push_back(ReachableFile::of_manifest(manifest));
            self.found.extend(files);
        }
        Ok(!manifests.is_empty())
    }
}

impl Iterator for ReachableFiles {
    type Item = Result<ReachableFile>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(file) = self.found.pop_front() {
                return Some(Ok(file));
            }
            match self.read() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    self.manifests.snapshots = Vec::new().into_iter();
                    self.manifests.found.clear();
                    return Some(Err(error));
                }
            }
        }
    }
}
