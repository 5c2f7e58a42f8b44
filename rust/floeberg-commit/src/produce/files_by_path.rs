//! Which files does an operation remove by their paths?
//!
//! In: data files and delete files. Out: for each entry of a manifest whether it is removed; at the end, whether all files were
//! found.
//! Spec: Commit Conflict Resolution and Retry (files that are removed must still be in the table).
//!
//! Invariant: a deletion vector is identified by its offset in its Puffin file: other vectors of that file stay.

use std::collections::HashSet;

use arrow_array::Array as _;
use floeberg_core::{Error, ErrorKind, Result};
use floeberg_io::location::canonical;

use crate::state::Counted;
use floeberg_iceberg::manifest::{
    DataFile, FileContent, ManifestContent, ManifestEntries, ManifestFile, RowsMatch,
};
use floeberg_iceberg::write::WrittenFile;

/// The path of a file, and for a deletion vector its offset in the file.
type Name = (String, Option<i64>);

/// Files by their paths.
#[derive(Debug, Clone, Default)]
pub(crate) struct FilesByPath {
    data: HashSet<Name>,
    deletes: HashSet<Name>,
    /// The specs that they are partitioned by.
    specs: HashSet<(ManifestContent, i32)>,
    /// The manifests that list the data files; `None` where that is not known.
    listed_in: Option<HashSet<String>>,
}

impl FilesByPath {
    /// The files of a receipt.
    pub fn new(files: &[WrittenFile]) -> Self {
        let mut named = Self::default();
        for WrittenFile { spec_id, file, .. } in files {
            let content = content_of(file);
            let names = if content == ManifestContent::Data { &mut named.data } else { &mut named.deletes };
            names.insert(name(&file.file_path, file.content_offset));
            named.specs.insert((content, *spec_id));
        }
        named
    }

    /// The same, with the manifests that list the data files.
    pub fn listed_in(self, manifests: HashSet<String>) -> Self {
        Self { listed_in: Some(manifests), ..self }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.data.len() + self.deletes.len()
    }

    /// Is any a data file of this path?
    pub fn has_data_file(&self, path: &str) -> bool {
        self.data.contains(&name(path, None))
    }

    /// May a manifest list one of them?
    pub fn may_be_in(&self, manifest: &ManifestFile) -> bool {
        let is_data = manifest.content == ManifestContent::Data;
        self.specs.contains(&(manifest.content, manifest.partition_spec_id))
            && self.listed_in.as_ref().is_none_or(|known| !is_data || known.contains(&manifest.manifest_path))
    }

    /// Is the file of each entry one of them?
    pub fn rows_match(&self, entries: &ManifestEntries) -> Result<Vec<RowsMatch>> {
        let rows = 0..entries.len();
        rows.map(|row| Ok(if self.has(entries, row)? { RowsMatch::All } else { RowsMatch::None })).collect()
    }

    /// Is the file of an entry one of them?
    pub fn has(&self, entries: &ManifestEntries, row: usize) -> Result<bool> {
        let path = entries.file_path.value(row);
        if entries.content == ManifestContent::Data {
            return Ok(self.has_data_file(path));
        }
        let offsets = &entries.details()?.content_offset;
        let offset = offsets.is_valid(row).then(|| offsets.value(row));
        Ok(!self.deletes.is_empty() && self.deletes.contains(&name(path, offset)))
    }

    /// Errors: `CommitConflict` for a named file that was not removed, and so is not in the table.
    pub fn check_found<'a>(&self, removed: impl Iterator<Item = &'a Counted>) -> Result<()> {
        let (mut data, mut deletes) = (HashSet::new(), HashSet::new());
        for file in removed {
            let found = if file.content == FileContent::Data { &mut data } else { &mut deletes };
            found.insert(name(&file.file_path, file.content_offset));
        }
        for (what, wanted, found) in
            [("data file", &self.data, &data), ("delete file", &self.deletes, &deletes)]
        {
            if let Some((path, _)) = wanted.iter().find(|name| !found.contains(*name)) {
                return Err(Error::new(
                    ErrorKind::CommitConflict,
                    format!("a {what} that the operation replaces or removes is not in the table any more"),
                )
                .with("file_path", path));
            }
        }
        Ok(())
    }
}

fn name(path: &str, offset: Option<i64>) -> Name {
    (canonical(path).to_owned(), offset)
}

fn content_of(file: &DataFile) -> ManifestContent {
    if file.content == FileContent::Data { ManifestContent::Data } else { ManifestContent::Deletes }
}
