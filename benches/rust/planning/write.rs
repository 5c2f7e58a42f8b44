//! How is a table to plan written?
//!
//! In: what it shall be. Out: a folder with a metadata file, a manifest list and manifests. Manifests are written by as many
//! threads as there are cores, each one on its own, so that memory holds an entry and a block a thread.
//!
//! Invariant: the metadata file is written last; a folder without it is no table yet.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_iceberg::manifest::{
    DataFile, ManifestContent, ManifestEntry, ManifestFile, ManifestListRequest, ManifestListWriter,
    ManifestRequest, ManifestWriter,
};
use floeberg_iceberg::metadata::TableMetadata;

use super::delete_files::delete_files;
use super::files::data_file;
use super::metadata::{
    DATA_SEQUENCE_NUMBER, DELETES_SEQUENCE_NUMBER, SNAPSHOT, list_location, metadata, model,
};
use super::random::shuffled;
use super::{Deletes, Order, TableOptions};

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Manifests, of deletes too.
    pub manifests: usize,
    /// Bytes of the data manifests.
    pub data_bytes: i64,
    /// Bytes of the delete manifests.
    pub delete_bytes: i64,
    /// Delete files.
    pub delete_files: usize,
}

/// Writes a table; a folder that was there goes.
///
/// Errors: those of the writer of manifests, `Storage` where a file cannot be written.
pub fn write_table(options: &TableOptions) -> Result<Written> {
    let folder = options.folder.join("metadata");
    if options.folder.exists() {
        fs::remove_dir_all(&options.folder).map_err(failed)?;
    }
    fs::create_dir_all(&folder).map_err(failed)?;
    let table = model(options)?;
    let order = match options.order {
        Order::Sorted => None,
        Order::Shuffled => Some(shuffled(options.files)),
    };
    let file_at = |place: u64| {
        let number = order.as_ref().and_then(|order| order.get(place as usize).copied()).unwrap_or(place);
        data_file(number, options)
    };
    let of_v1 = options.format_version == 1;
    let sequence_number = |number: i64| if of_v1 { 0 } else { number };
    let data = Manifests { table: &table, options, content: ManifestContent::Data, name: "data" };
    let mut manifests = data.write(options.files, sequence_number(DATA_SEQUENCE_NUMBER), &file_at)?;
    let data_bytes = manifests.iter().map(|file| file.manifest_length).sum();
    let found = delete_files(options);
    let deletes = Manifests { content: ManifestContent::Deletes, name: "deletes", ..data };
    let delete_manifests =
        deletes.write(found.len() as u64, DELETES_SEQUENCE_NUMBER, &|place| found[place as usize].clone())?;
    let delete_bytes = delete_manifests.iter().map(|file| file.manifest_length).sum();
    manifests.extend(delete_manifests);
    let last = if options.deletes == Deletes::None { DATA_SEQUENCE_NUMBER } else { DELETES_SEQUENCE_NUMBER };
    let last = sequence_number(last);
    let rows = write_list(options, last, &manifests)?;
    let json = metadata(options, last, rows).to_string();
    fs::write(folder.join("v1.metadata.json"), json).map_err(failed)?;
    Ok(Written { manifests: manifests.len(), data_bytes, delete_bytes, delete_files: found.len() })
}

/// The bytes of the table's first manifest of data, with its row of the manifest list.
///
/// Errors: those of the writer of manifests.
pub fn manifest(options: &TableOptions) -> Result<(Vec<u8>, ManifestFile, TableMetadata)> {
    let table = model(options)?;
    let data = Manifests { table: &table, options, content: ManifestContent::Data, name: "data" };
    let files = (0..options.files).map(|number| data_file(number, options));
    let (bytes, file) = data.encode(Vec::new(), "data-0.avro", files, DATA_SEQUENCE_NUMBER)?;
    Ok((bytes, file, table))
}

/// Manifests of one kind.
#[derive(Clone, Copy)]
struct Manifests<'a> {
    table: &'a TableMetadata,
    options: &'a TableOptions,
    content: ManifestContent,
    name: &'a str,
}

impl Manifests<'_> {
    /// Writes the manifests of so many files.
    fn write(
        &self,
        files: u64,
        sequence_number: i64,
        file_at: &(dyn Fn(u64) -> DataFile + Sync),
    ) -> Result<Vec<ManifestFile>> {
        let entries = self.options.entries.max(1);
        let count = files.div_ceil(entries) as usize;
        let next = AtomicUsize::new(0);
        let work = || -> Result<Vec<(usize, ManifestFile)>> {
            let mut written = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    return Ok(written);
                }
                let first = index as u64 * entries;
                let name = format!("{}-{index}.avro", self.name);
                let path = self.options.folder.join("metadata").join(&name);
                let output = BufWriter::new(File::create(&path).map_err(failed)?);
                let files = (first..files.min(first + entries)).map(file_at);
                let (_, file) = self.encode(output, &name, files, sequence_number)?;
                written.push((index, file));
            }
        };
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let written = thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let joined = workers.into_iter().map(|worker| {
                worker
                    .join()
                    .unwrap_or_else(|_| Err(Error::internal("a thread that writes manifests panicked")))
            });
            joined.collect::<Result<Vec<_>>>()
        })?;
        let mut written: Vec<_> = written.into_iter().flatten().collect();
        written.sort_by_key(|(index, _)| *index);
        Ok(written.into_iter().map(|(_, file)| file).collect())
    }

    fn encode<W: std::io::Write>(
        &self,
        output: W,
        name: &str,
        files: impl Iterator<Item = DataFile>,
        sequence_number: i64,
    ) -> Result<(W, ManifestFile)> {
        let location = self.options.folder.join("metadata").join(name).display().to_string();
        let spec = self.table.spec(0)?;
        let partition_type = spec.partition_type(self.table)?;
        let request = ManifestRequest {
            location: &location,
            format_version: self.options.format_version,
            content: self.content,
            snapshot_id: SNAPSHOT,
            schema: &self.table.schemas[0],
            spec,
            partition_type: &partition_type,
            unknown: &[],
        };
        let mut writer = ManifestWriter::new(output, &request, &self.options.container)?;
        for file in files {
            writer.add(&ManifestEntry { snapshot_id: Some(SNAPSHOT), ..ManifestEntry::added(file) })?;
        }
        let (output, written) = writer.finish()?;
        Ok((output, written.in_commit(sequence_number)))
    }
}

/// Writes the manifest list; gives the row ids that its manifests take.
fn write_list(options: &TableOptions, sequence_number: i64, manifests: &[ManifestFile]) -> Result<i64> {
    let location = list_location(options);
    let request = ManifestListRequest {
        location: &location,
        format_version: options.format_version,
        snapshot_id: SNAPSHOT,
        parent_snapshot_id: None,
        sequence_number,
        first_row_id: (options.format_version >= 3).then_some(0),
        unknown: &[],
    };
    let output = BufWriter::new(File::create(Path::new(&location)).map_err(failed)?);
    let mut list = ManifestListWriter::new(output, &request, &options.container)?;
    manifests.iter().try_for_each(|manifest| list.add(manifest))?;
    let (_, written) = list.finish()?;
    Ok(written.next_row_id.unwrap_or(0))
}

fn failed(error: std::io::Error) -> Error {
    Error::new(ErrorKind::Storage, "a bench table could not be written").caused_by(error)
}
