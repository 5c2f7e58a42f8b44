//! How are all files of a table staged, and listed?
//!
//! In: a table and a request. Out: staged files, the list of files to copy, and counts.
//! Spec: see the folder.
//!
//! Invariant: the list has what a file names before the file itself, and the last version at its end: who copies in this order has a
//! table only when it is whole.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use floeberg_commit::write_document;
use floeberg_core::{Cancel, Context as _, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::Table;
use floeberg_iceberg::manifest::{AllManifests, ManifestContent, ManifestFile, ManifestReader};
use floeberg_iceberg::metadata::{Snapshot, TableMetadata, parse_table_metadata};
use floeberg_iceberg::wire::json::{MAX_METADATA_BYTES, parse_json};
use floeberg_io::location::file_name;

use super::deletes::NamingDeletes;
use super::document::rewrite_document;
use super::file_list::{FileList, FileToCopy};
use super::lists::write_list;
use super::manifests::Manifests;
use super::prefixes::PathPrefixes;
use super::since::Since;
use super::staging::Staging;
use super::versions::Versions;

/// How many manifests are read before what they list is written.
const AT_ONCE: usize = 64;
/// The name of the list of files, as Iceberg Java has it.
const FILE_LIST: &str = "file-list";

/// Which paths of a table become which.
#[derive(Debug, Clone, Copy)]
pub struct PathRewrite<'a> {
    /// What paths begin with.
    pub source_prefix: &'a str,
    /// What they are to begin with.
    pub target_prefix: &'a str,
    /// The name or the location of a metadata file: what it has was copied before.
    pub start_version: Option<&'a str>,
    /// The name or the location of the last metadata file; by default the current one.
    pub end_version: Option<&'a str>,
    /// An empty folder; by default a new one beside the current metadata file.
    pub staging_location: Option<&'a str>,
    /// Is the list of files written?
    pub create_file_list: bool,
    /// Is nothing written, and the files counted alone?
    pub dry_run: bool,
}

/// What was staged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewrittenPaths {
    /// The name of the last metadata file.
    pub latest_version: String,
    /// The staging folder; `None` where nothing was written.
    pub staging_location: Option<String>,
    /// Where the list of files is; `None` where it was not written.
    pub file_list_location: Option<String>,
    /// Manifests with other paths.
    pub manifests: u64,
    /// Delete files with other paths; each deletion vector is one.
    pub delete_files: u64,
    /// Files to copy.
    pub files: u64,
}

/// Stages copies of the files of a table that name others, with other paths, and lists all files to copy.
///
/// Errors: `InvalidInput` for prefixes or versions that do not fit, and for a file that is not below the source prefix, naming it;
/// `InvalidData` for a damaged file; `NotFound` for one that is missing; `Unsupported` for an encrypted table; `Cancelled`; those of the store. Nothing stays staged then.
pub fn rewrite_table_path(
    table: &Table,
    request: &PathRewrite<'_>,
    cancel: &Cancel,
) -> Result<RewrittenPaths> {
    let prefixes = PathPrefixes::new(request.source_prefix, request.target_prefix)?;
    let versions = Versions::of(table, request.start_version, request.end_version)?;
    versions.last.metadata().check_not_encrypted()?;
    // What is wrong with the location is said before anything is read.
    prefixes.relative("the location of the table", &versions.last.metadata().location)?;
    let staging = if request.dry_run {
        None
    } else {
        let folder = request.staging_location;
        Some(Staging::new(Arc::clone(table.store()), folder, table.metadata_location())?)
    };
    let work = Work {
        reader: versions.last.manifest_reader(cancel)?,
        since: Since::of(versions.start.as_deref()),
        prefixes: &prefixes,
        versions: &versions,
        staging: staging.as_ref(),
    };
    let done = work.run(request.create_file_list);
    if let (Err(_), Some(staging)) = (&done, &staging) {
        staging.remove_all();
    }
    done
}

struct Work<'a> {
    reader: ManifestReader,
    since: Since,
    prefixes: &'a PathPrefixes,
    versions: &'a Versions,
    staging: Option<&'a Staging>,
}

impl Work<'_> {
    fn run(&self, lists_files: bool) -> Result<RewrittenPaths> {
        let (table, reader) = (&self.versions.last, &self.reader);
        let metadata = table.metadata();
        let (list_location, sink) = match self.staging.filter(|_| lists_files) {
            Some(staging) => {
                let location = staging.begin(FILE_LIST);
                let sink = staging.store.create(&location)?;
                (Some(location), Some(sink))
            }
            None => (None, None),
        };
        let mut list = FileList::new(sink);

        let is_new = |snapshot: &&Arc<Snapshot>| !self.since.has_snapshot(snapshot.snapshot_id);
        let snapshots: Vec<Arc<Snapshot>> = metadata.snapshots.iter().filter(is_new).cloned().collect();
        let all = AllManifests::new(reader.clone(), snapshots.clone()).strict();
        let all = all.collect::<Result<Vec<ManifestFile>>>()?;
        let manifests = Manifests::new(metadata, reader, self.prefixes, &self.since, self.staging)?;

        let deletes = self.deletes(&manifests, &all)?;
        let copied = match self.staging {
            Some(staging) => deletes.copy(table, reader, self.prefixes, staging)?,
            None => HashMap::new(),
        };
        let mut lengths = HashMap::new();
        for some in all.chunks(AT_ONCE) {
            let write = |manifest: &ManifestFile| manifests.write(manifest, &copied);
            let written = ordered(some, reader.threads, &reader.cancel, write)?;
            for (manifest, written) in some.iter().zip(written) {
                lengths.insert(manifest.manifest_path.clone(), written.length);
                list.add(&written.files)?;
            }
        }
        let write =
            |snapshot: &Arc<Snapshot>| write_list(reader, snapshot, &lengths, self.prefixes, self.staging);
        let lists = ordered(&snapshots, reader.threads, &reader.cancel, write)?;
        list.add(&lists.into_iter().flatten().collect::<Vec<_>>())?;
        list.add(&self.documents()?)?;
        let last = table.metadata_location();
        Ok(RewrittenPaths {
            latest_version: file_name(last).unwrap_or(last).to_owned(),
            staging_location: self.staging.map(|staging| staging.folder.clone()),
            file_list_location: list_location,
            manifests: all.iter().filter(|manifest| manifests.is_newer(manifest)).count() as u64,
            delete_files: deletes.count(),
            files: list.finish()?,
        })
    }

    /// The delete files of manifests that name data files.
    fn deletes(&self, manifests: &Manifests<'_>, all: &[ManifestFile]) -> Result<NamingDeletes> {
        let mut deletes = NamingDeletes::default();
        let of_deletes = all.iter().filter(|manifest| manifest.content == ManifestContent::Deletes);
        let of_deletes: Vec<&ManifestFile> = of_deletes.collect();
        for some in of_deletes.chunks(AT_ONCE) {
            let read = |manifest: &&ManifestFile| manifests.entries(manifest);
            let read = ordered(some, self.reader.threads, &self.reader.cancel, read)?;
            for (manifest, entries) in some.iter().zip(read) {
                deletes.add(&entries, &self.since, manifests.is_newer(manifest))?;
            }
        }
        Ok(deletes)
    }

    /// Writes the metadata files: statistics files first, then the versions, the last at the end.
    fn documents(&self) -> Result<Vec<FileToCopy>> {
        let reader = &self.reader;
        let last = self.versions.last.metadata_location();
        let versions: Vec<&str> = self.versions.earlier.iter().map(String::as_str).chain([last]).collect();
        let write = |version: &&str| self.document(version).context("metadata", version);
        let written = ordered(&versions, reader.threads, &reader.cancel, write)?;
        let (statistics, documents): (Vec<_>, Vec<_>) = written.into_iter().unzip();
        let before = self.versions.start.as_deref().map(statistics_of).transpose()?.unwrap_or_default();
        let statistics = statistics.into_iter().flatten().filter(|file| !before.contains(&file.source));
        let statistics = statistics
            .map(|file| FileToCopy { source: reader.relocation.apply(&file.source), target: file.target });
        Ok(statistics.chain(documents).collect())
    }

    fn document(&self, version: &str) -> Result<(Vec<FileToCopy>, FileToCopy)> {
        // Of a table that was moved, the last version is known by where it is, and the others by what was written.
        let (written, location) = self.versions.written_and_current(version);
        let relative = self.prefixes.relative("a metadata file", &written)?;
        let bytes = self.reader.store.open(&location)?.read_all(MAX_METADATA_BYTES)?;
        // Only what can be read as metadata is written as metadata.
        parse_table_metadata(&bytes, &location)?;
        let mut document = parse_json(&bytes, MAX_METADATA_BYTES)?;
        let statistics = rewrite_document(&mut document, self.prefixes)?;
        let mut source = String::new();
        if let Some(staging) = self.staging {
            source = staging.begin(relative);
            write_document(staging.store.as_ref(), &document, &source, false)?;
        }
        Ok((statistics, FileToCopy { source, target: self.prefixes.target("a metadata file", &written)? }))
    }
}

fn statistics_of(metadata: &TableMetadata) -> Result<HashSet<String>> {
    let of_snapshots = metadata.statistics_files()?.into_iter().map(|file| file.statistics_path);
    let of_partitions = metadata.partition_statistics_files()?.into_iter().map(|file| file.statistics_path);
    Ok(of_snapshots.chain(of_partitions).collect())
}
