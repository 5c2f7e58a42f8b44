//! Which files did a writer write?
//!
//! In: finished files. Out: everything that a commit in another process needs.
//!
//! Invariant: a receipt names exactly the files of its writer; reading it back gives the same.

mod bytes;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use floeberg_core::schema::Schema;
use floeberg_core::{Error, Result};
use floeberg_io::location::canonical;

use crate::manifest::{DataFile, FileContent};
use crate::metadata::PartitionSpec;

/// A file that exists and is in no table yet.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenFile {
    /// The spec it is partitioned by.
    pub spec_id: i32,
    /// The file.
    pub file: DataFile,
    /// What it was written for; `None` if that is unknown and not checked.
    pub purpose: Option<Arc<Purpose>>,
}

/// What files were written for: field and spec ids are valid in one table only, and may change there.
#[derive(Debug, Clone, PartialEq)]
pub struct Purpose {
    /// The table's uuid; v1 may lack it.
    pub table_uuid: Option<String>,
    /// The table's location, as it wrote it.
    pub location: String,
    /// The columns of the rows.
    pub schema: Arc<Schema>,
    /// The spec that they are partitioned by.
    pub spec: Arc<PartitionSpec>,
}

/// The files of one writer, or of several. Copies share them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Receipt {
    files: Arc<Vec<WrittenFile>>,
    rows: u64,
    size: u64,
}

impl Purpose {
    /// Is it for the table with this uuid? v1 may lack one: then the location decides.
    pub fn is_of(&self, table_uuid: Option<&str>, location: &str) -> bool {
        match (table_uuid, self.table_uuid.as_deref()) {
            (Some(own), Some(other)) => own.eq_ignore_ascii_case(other),
            _ => canonical(location) == canonical(&self.location),
        }
    }
}

impl Receipt {
    /// The receipt of files. Errors: `InvalidInput` for impossible counts and sizes.
    pub fn new(files: Vec<WrittenFile>) -> Result<Self> {
        let (mut rows, mut size) = (0_u64, 0_u64);
        for WrittenFile { file, .. } in &files {
            // Several vectors share a file: each counts for its part.
            let bytes = file.content_size_in_bytes.unwrap_or(file.file_size_in_bytes);
            let records = if file.content == FileContent::Data { file.record_count } else { 0 };
            let total = |sum: u64, part: i64| u64::try_from(part).ok().and_then(|part| sum.checked_add(part));
            let totals = total(rows, records).zip(total(size, bytes));
            (rows, size) = totals.ok_or_else(|| {
                Error::invalid_input("the rows or bytes of files do not fit into 64 bits")
                    .with("path", &file.file_path)
            })?;
        }
        Ok(Self { files: Arc::new(files), rows, size })
    }

    /// The files of several receipts, in their order. Errors: those of [`Receipt::new`].
    pub fn concat(receipts: impl IntoIterator<Item = Self>) -> Result<Self> {
        let mut files: Vec<_> = receipts.into_iter().flat_map(Self::into_files).collect();
        share_purposes(&mut files);
        Self::new(files)
    }

    /// The different purposes of the files, and for each file the number of its purpose.
    pub fn purposes(files: &[WrittenFile]) -> (Vec<&Arc<Purpose>>, Vec<Option<usize>>) {
        let mut purposes: Vec<&Arc<Purpose>> = Vec::new();
        let mut number = |purpose| {
            purposes.iter().position(|known| Arc::ptr_eq(known, purpose)).unwrap_or_else(|| {
                purposes.push(purpose);
                purposes.len() - 1
            })
        };
        let numbers = files.iter().map(|written| written.purpose.as_ref().map(&mut number)).collect();
        (purposes, numbers)
    }

    /// The files.
    pub fn files(&self) -> &[WrittenFile] {
        &self.files
    }

    /// The files, consumed.
    pub fn into_files(self) -> Vec<WrittenFile> {
        Arc::unwrap_or_clone(self.files)
    }

    /// How many rows the data files have together.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How many bytes the files have together.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The locations of the files, as tables will name them.
    pub fn locations(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|written| written.file.file_path.as_str())
    }
}

/// Shares equal purposes between files. Receipts of a thousand tasks come with a thousand.
fn share_purposes(files: &mut [WrittenFile]) {
    let mut known: Vec<Arc<Purpose>> = Vec::new();
    let mut last: Option<(Arc<Purpose>, Arc<Purpose>)> = None;
    for purpose in files.iter_mut().filter_map(|written| written.purpose.as_mut()) {
        let shared = match &last {
            Some((of, shared)) if Arc::ptr_eq(of, purpose) => Arc::clone(shared),
            _ => known.iter().find(|known| ***known == **purpose).cloned().unwrap_or_else(|| {
                known.push(Arc::clone(purpose));
                Arc::clone(purpose)
            }),
        };
        let of = std::mem::replace(purpose, Arc::clone(&shared));
        last = Some((of, shared));
    }
}
