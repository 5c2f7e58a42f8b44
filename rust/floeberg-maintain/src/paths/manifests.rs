//! Which paths does a manifest have?
//!
//! In: a manifest, and what is new of its delete files. Out: the same manifest with other paths, and the files to copy that it names.
//! Spec: Manifest Entry Fields; Data File Fields; Delete File Stats.
//!
//! Invariant: entries keep their order, and every other byte: status, snapshot, sequence numbers, row ids, and fields that nobody here
//! knows.

use std::collections::HashMap;

use arrow_array::Array as _;
use floeberg_avro::Limits;
use floeberg_avro::rewrite::{Change, Found, FoundValue, rewrite};
use floeberg_core::schema::StructType;
use floeberg_core::schema::reserved::DELETE_FILE_PATH;
use floeberg_core::{Context as _, Error, Result};
use floeberg_iceberg::copy::CopiedFile;
use floeberg_iceberg::manifest::{
    DELETED, EntryRequest, ManifestContent, ManifestEntries, ManifestFile, ManifestReader, parse_manifest,
};
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_io::Sink;

use super::deletes::{is_entry_newer, names_data_files};
use super::file_list::FileToCopy;
use super::prefixes::{Bounds, PathPrefixes};
use super::since::Since;
use super::staging::Staging;

const FILE_PATH: i32 = 100;
const FILE_SIZE: i32 = 104;
const LOWER_BOUNDS: i32 = 125;
const UPPER_BOUNDS: i32 = 128;
const SPLIT_OFFSETS: i32 = 132;
const REFERENCED_DATA_FILE: i32 = 143;
const DATA_FIELDS: [(i32, &str); 1] = [(FILE_PATH, "file_path")];
const DELETE_FIELDS: [(i32, &str); 6] = [
    (FILE_PATH, "file_path"),
    (FILE_SIZE, "file_size_in_bytes"),
    (LOWER_BOUNDS, "lower_bounds"),
    (UPPER_BOUNDS, "upper_bounds"),
    (SPLIT_OFFSETS, "split_offsets"),
    (REFERENCED_DATA_FILE, "referenced_data_file"),
];

/// What all manifests of a rewrite share.
pub(super) struct Manifests<'a> {
    pub(super) reader: &'a ManifestReader,
    pub(super) prefixes: &'a PathPrefixes,
    pub(super) since: &'a Since,
    /// `None` where nothing is written.
    pub(super) staging: Option<&'a Staging>,
    partition_types: HashMap<i32, StructType>,
}

/// A manifest that was written.
#[derive(Debug)]
pub(super) struct WrittenManifest {
    pub(super) length: i64,
    /// The files to copy: those that it lists, and the manifest itself.
    pub(super) files: Vec<FileToCopy>,
}

impl<'a> Manifests<'a> {
    /// Errors: `InvalidData` for a partition spec that does not fit its columns.
    pub(super) fn new(
        metadata: &TableMetadata,
        reader: &'a ManifestReader,
        prefixes: &'a PathPrefixes,
        since: &'a Since,
        staging: Option<&'a Staging>,
    ) -> Result<Self> {
        let specs = metadata.partition_specs.iter();
        let partition_types =
            specs.map(|spec| Ok((spec.spec_id, spec.partition_type(metadata)?))).collect::<Result<_>>()?;
        Ok(Self { reader, prefixes, since, staging, partition_types })
    }

    /// Was the manifest added after the version?
    pub(super) fn is_newer(&self, manifest: &ManifestFile) -> bool {
        self.since.is_newer(manifest.added_snapshot_id, Some(manifest.sequence_number))
    }

    /// All entries of a manifest. Errors: `InvalidData` for one that is damaged or was cut off; those of the store.
    pub(super) fn entries(&self, manifest: &ManifestFile) -> Result<ManifestEntries> {
        Ok(self.read(manifest)?.1)
    }

    fn read(&self, manifest: &ManifestFile) -> Result<(impl AsRef<[u8]> + use<>, ManifestEntries)> {
        let read = || {
            if manifest.key_metadata.is_some() {
                let message = "the manifest is encrypted, and encrypted tables cannot be read";
                return Err(Error::unsupported(message));
            }
            let (_, bytes) = self.reader.bytes(&manifest.manifest_path)?;
            let spec_id = manifest.partition_spec_id;
            let partition_type = self.partition_types.get(&spec_id).ok_or_else(|| {
                Error::invalid_data(format!("partition spec {spec_id} is not in the table metadata"))
            })?;
            let of_deletes = manifest.content == ManifestContent::Deletes;
            let wanted = EntryRequest {
                with_deleted: true,
                statistics_of: if of_deletes { vec![DELETE_FILE_PATH] } else { Vec::new() },
                ..EntryRequest::default()
            };
            let entries = parse_manifest(&bytes, manifest, partition_type, &wanted)?;
            let live = entries.status.values().iter().filter(|status| **status != DELETED).count();
            manifest.check_live_files(live)?;
            Ok((bytes, entries))
        };
        read().context("manifest", &manifest.manifest_path)
    }

    /// Writes a manifest with other paths: to the staging folder, if it is newer. Without a staging folder, its paths are checked.
    ///
    /// Errors: those of [`Self::entries`]; `InvalidInput` for a path that is not below the source prefix.
    pub(super) fn write(
        &self,
        manifest: &ManifestFile,
        copied: &HashMap<String, CopiedFile>,
    ) -> Result<WrittenManifest> {
        let (bytes, entries) = self.read(manifest)?;
        let written = || {
            let prefixes = self.prefixes;
            let relative = prefixes.relative("a manifest", &manifest.manifest_path)?;
            let is_newer = self.is_newer(manifest);
            let staged = self.staging.filter(|_| is_newer).map(|staging| (staging, staging.begin(relative)));
            let mut sink: Option<Box<dyn Sink>> =
                staged.as_ref().map(|(staging, location)| staging.store.create(location)).transpose()?;
            let is_deletes = manifest.content == ManifestContent::Deletes;
            let fields: &[(i32, &str)] = if is_deletes { &DELETE_FIELDS } else { &DATA_FIELDS };
            let edit = Edit { prefixes, entries: &entries, copied };
            let length = rewrite(
                bytes.as_ref(),
                &Limits::default(),
                fields,
                |found| edit.change(found),
                |part| sink.as_mut().map_or(Ok(()), |sink| sink.write(part)),
            )?;
            if let Some(sink) = sink {
                sink.finish()?;
            }
            let mut files = Vec::new();
            if is_newer {
                self.list_entries(&entries, &mut files)?;
                let target = prefixes.target("a manifest", &manifest.manifest_path)?;
                let source = staged.map_or_else(String::new, |(_, location)| location);
                files.push(FileToCopy { source, target });
            }
            let length = i64::try_from(length).map_err(|_| Error::limit("a manifest is too large"))?;
            Ok(WrittenManifest { length, files })
        };
        written().context("manifest", &manifest.manifest_path)
    }

    /// The files of entries that are there, and were added after the version.
    fn list_entries(&self, entries: &ManifestEntries, files: &mut Vec<FileToCopy>) -> Result<()> {
        for row in (0..entries.len()).filter(|row| entries.status.value(*row) != DELETED) {
            if !is_entry_newer(entries, row, self.since)? {
                continue;
            }
            let path = entries.file_path.value(row);
            let source = match self.staging {
                Some(staging) if names_data_files(entries, row) => {
                    staging.location(self.prefixes.relative("a delete file", path)?)
                }
                _ => self.reader.relocation.apply(path),
            };
            files.push(FileToCopy { source, target: self.prefixes.target("a file", path)? });
        }
        Ok(())
    }
}

/// What the values of entries become.
struct Edit<'a> {
    prefixes: &'a PathPrefixes,
    entries: &'a ManifestEntries,
    copied: &'a HashMap<String, CopiedFile>,
}

impl Edit<'_> {
    fn change(&self, found: &Found<'_>) -> Result<Change> {
        let entries = self.entries;
        let row = usize::try_from(found.row).ok().filter(|row| *row < entries.len());
        let row = row.ok_or_else(|| Error::internal("a manifest has the entries that were decoded"))?;
        Ok(match (found.field, found.key, found.value) {
            (FILE_PATH, ..) => Change::Bytes(self.target("a file", entries.file_path.value(row))?),
            (REFERENCED_DATA_FILE, None, FoundValue::Bytes(path)) if !path.is_empty() => {
                let path = std::str::from_utf8(path)
                    .map_err(|_| Error::invalid_data("expected referenced_data_file to be UTF-8"))?;
                Change::Bytes(self.target("a data file that a delete file names", path)?)
            }
            (LOWER_BOUNDS, Some(DELETE_FILE_PATH), _) => self.bound(row, |bounds| bounds.lower),
            (UPPER_BOUNDS, Some(DELETE_FILE_PATH), _) => self.bound(row, |bounds| bounds.upper),
            (FILE_SIZE, ..) => match self.copied(row) {
                Some(copied) => Change::Long(
                    i64::try_from(copied.file_size_in_bytes)
                        .map_err(|_| Error::limit("a delete file is too large"))?,
                ),
                None => Change::Keep,
            },
            (SPLIT_OFFSETS, ..) => {
                let offsets = self.copied(row).and_then(|copied| copied.split_offsets.clone());
                offsets.map_or(Change::Keep, Change::Longs)
            }
            _ => Change::Keep,
        })
    }

    fn target(&self, what: &str, path: &str) -> Result<Vec<u8>> {
        self.prefixes.target(what, path).map(String::into_bytes)
    }

    fn copied(&self, row: usize) -> Option<&CopiedFile> {
        names_data_files(self.entries, row).then(|| self.copied.get(self.entries.file_path.value(row)))?
    }

    /// A bound of the paths in a delete file. It goes where it would not be a bound any more.
    fn bound(&self, row: usize, which: fn(Bounds) -> Vec<u8>) -> Change {
        let bounds = self.entries.statistics.get(&DELETE_FILE_PATH);
        let bounds = bounds.map(|known| (&known.lower_bound, &known.upper_bound));
        let both = bounds.filter(|(lower, upper)| lower.is_valid(row) && upper.is_valid(row));
        let both = both.and_then(|(lower, upper)| self.prefixes.bounds(lower.value(row), upper.value(row)));
        both.map_or(Change::Remove, |both| Change::Bytes(which(both)))
    }
}
