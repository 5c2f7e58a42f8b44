//! Which delete files name data files, and how are they copied?
//!
//! In: the entries of delete manifests. Out: copies of files of position deletes and of deletion vectors, and what manifests say of them.
//! Spec: Position Delete Files; Deletion Vectors; Data File Fields.
//!
//! Invariant: a file is copied once, however many entries name it. A copy that is not needed is made in memory for its size alone:
//! manifests say it, also those that name files which were copied before, or that a snapshot deleted since.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::str::FromStr as _;

use arrow_array::Array as _;
use floeberg_core::{Context as _, ErrorKind, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::Table;
use floeberg_iceberg::copy::{CopiedFile, RowsToCopy, copy_position_deletes, copy_vectors};
use floeberg_iceberg::manifest::{DELETED, FileContent, ManifestEntries, ManifestReader};
use floeberg_iceberg::plan::FileFormat;
use floeberg_iceberg::read::FileAccess;
use floeberg_io::{MemoryStore, Store};

use super::prefixes::PathPrefixes;
use super::since::Since;
use super::staging::Staging;

/// Rows of a batch.
const BATCH_ROWS: usize = 1 << 16;

/// Delete files that name data files, by their written location.
#[derive(Debug, Default)]
pub(super) struct NamingDeletes {
    files: BTreeMap<String, NamingDelete>,
    /// Files, and vectors in files, of manifests that are staged.
    staged: HashSet<(String, i64)>,
}

/// A delete file that names data files.
#[derive(Debug, Clone, Copy)]
struct NamingDelete {
    format: FileFormat,
    claimed_size: i64,
    /// Is the copy needed, or its size alone?
    is_newer: bool,
    /// Is it there? A file that a snapshot deleted may be gone.
    is_live: bool,
}

/// Is an entry one of position deletes, or a deletion vector?
pub(super) fn names_data_files(entries: &ManifestEntries, row: usize) -> bool {
    entries.file_content.value(row) == FileContent::PositionDeletes as i32
}

impl NamingDeletes {
    /// Adds those of a manifest. Errors: `Unsupported` for an unknown format.
    pub(super) fn add(&mut self, entries: &ManifestEntries, since: &Since, is_staged: bool) -> Result<()> {
        let details = entries.details()?;
        for row in (0..entries.len()).filter(|row| names_data_files(entries, *row)) {
            let path = entries.file_path.value(row);
            let format = FileFormat::from_str(entries.file_format.value(row)).context("delete_file", path)?;
            let claimed_size = entries.file_size_in_bytes.value(row);
            let is_live = entries.status.value(row) != DELETED;
            let is_newer = is_live && is_staged && is_entry_newer(entries, row, since)?;
            let new = NamingDelete { format, claimed_size, is_newer: false, is_live: false };
            let known = self.files.entry(path.to_owned()).or_insert(new);
            known.is_newer |= is_newer;
            known.is_live |= is_live;
            if is_live && is_staged {
                let offset = &details.content_offset;
                let offset = if offset.is_valid(row) { offset.value(row) } else { -1 };
                self.staged.insert((path.to_owned(), offset));
            }
        }
        Ok(())
    }

    /// How many delete files, each vector being one, are in manifests that are staged.
    pub(super) fn count(&self) -> u64 {
        self.staged.len() as u64
    }

    /// Copies all files, those that are newer to the staging folder: what is new of each.
    ///
    /// Errors: `InvalidInput` for a path that is not below the source prefix; `InvalidData` for a
    /// damaged file; those of the stores.
    pub(super) fn copy(
        &self,
        table: &Table,
        reader: &ManifestReader,
        prefixes: &PathPrefixes,
        staging: &Staging,
    ) -> Result<HashMap<String, CopiedFile>> {
        let access =
            FileAccess { store: reader.store.clone(), batch_rows: BATCH_ROWS, cancel: reader.cancel.clone() };
        let path = |path: &str| prefixes.target("a data file that a delete file names", path);
        let files: Vec<(&String, &NamingDelete)> = self.files.iter().collect();
        let copies = ordered(&files, reader.threads, &reader.cancel, |(written, file)| {
            let location = reader.relocation.apply(written);
            let memory = MemoryStore::new();
            let relative = prefixes.relative("a delete file", written)?;
            let (to, target): (&dyn Store, _) = if file.is_newer {
                (staging.store.as_ref(), staging.begin(relative))
            } else {
                (&memory, format!("memory://{relative}"))
            };
            let copied = if file.format == FileFormat::Puffin {
                copy_vectors((access.store.as_ref(), &location), (to, &target), &path)
            } else {
                let rows = RowsToCopy {
                    metadata: table.metadata(),
                    location: &location,
                    format: file.format,
                    claimed_size: file.claimed_size,
                };
                copy_position_deletes(&access, &rows, (to, &target), &path)
            };
            match copied {
                Err(error) if error.kind() == ErrorKind::NotFound && !file.is_live => Ok(None),
                copied => copied.map(Some),
            }
        })?;
        let copies = files.into_iter().map(|(written, _)| written.clone()).zip(copies);
        Ok(copies.filter_map(|(written, copied)| Some((written, copied?))).collect())
    }
}

/// Was the file of an entry added after a version? Errors: `Internal` for entries without details.
pub(super) fn is_entry_newer(entries: &ManifestEntries, row: usize, since: &Since) -> Result<bool> {
    let details = entries.details()?;
    let value = |array: &arrow_array::Int64Array| array.is_valid(row).then(|| array.value(row));
    Ok(since.is_newer(value(&details.snapshot_id), value(&details.file_sequence_number)))
}
