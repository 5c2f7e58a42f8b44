//! Which files did a writer write?
//!
//! In: files as they are finished. Out: what a commit needs of them, wherever it happens.
//!
//! Invariant: a receipt names every file of its writer and no other; what is read back is the same.

mod bytes;
#[cfg(test)]
mod tests;

use floeberg_core::{Error, Result};

use crate::metadata::DataFile;

/// A file that is there and in no table yet.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenFile {
    /// The spec it is partitioned by.
    pub spec_id: i32,
    /// The file.
    pub file: DataFile,
}

/// The files of one writer, or of several.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Receipt {
    files: Vec<WrittenFile>,
    rows: u64,
    size: u64,
}

impl Receipt {
    /// The receipt of files. Errors: `InvalidInput` for counts and sizes that no file has.
    pub fn new(files: Vec<WrittenFile>) -> Result<Self> {
        let (mut rows, mut size) = (0_u64, 0_u64);
        for WrittenFile { file, .. } in &files {
            let total = |sum: u64, part: i64| u64::try_from(part).ok().and_then(|part| sum.checked_add(part));
            let totals = total(rows, file.record_count).zip(total(size, file.file_size_in_bytes));
            (rows, size) = totals.ok_or_else(|| {
                Error::invalid_input("expected files of at most 64 bits of rows and bytes")
                    .with("path", &file.file_path)
            })?;
        }
        Ok(Self { files, rows, size })
    }

    /// The files of several receipts, in their order. Errors: those of [`Receipt::new`].
    pub fn concat(receipts: impl IntoIterator<Item = Self>) -> Result<Self> {
        Self::new(receipts.into_iter().flat_map(|receipt| receipt.files).collect())
    }

    /// The files.
    pub fn files(&self) -> &[WrittenFile] {
        &self.files
    }

    /// The files, taken out.
    pub fn into_files(self) -> Vec<WrittenFile> {
        self.files
    }

    /// How many rows the files have together.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How many bytes the files have together.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Where the files are, as tables will name them.
    pub fn locations(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|written| written.file.file_path.as_str())
    }
}
