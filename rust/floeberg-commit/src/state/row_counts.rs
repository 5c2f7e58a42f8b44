//! How many rows and files of a table does an operation change?
//!
//! Invariant: rows are those of the files that were looked into. Of a file that is removed by its metadata alone all rows count,
//! also those that were deleted before.

use std::ops::AddAssign;

/// The rows and files that an operation changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RowCounts {
    /// Rows that are deleted.
    pub deleted_rows: u64,
    /// Data files that are removed because all of their rows are deleted.
    pub deleted_files: u64,
    /// Their bytes.
    pub deleted_bytes: u64,
    /// Data files that are removed and whose other rows are written again.
    pub rewritten_files: u64,
    /// Their bytes.
    pub rewritten_bytes: u64,
    /// The rows that are written again.
    pub copied_rows: u64,
    /// Data files that stay, with new deletes.
    pub files_with_new_deletes: u64,
    /// Manifests or delete files that others replace, or that are removed since nothing needs them.
    pub replaced_files: u64,
    /// Their bytes.
    pub replaced_bytes: u64,
}

impl AddAssign for RowCounts {
    fn add_assign(&mut self, other: Self) {
        self.deleted_rows += other.deleted_rows;
        self.deleted_files += other.deleted_files;
        self.deleted_bytes += other.deleted_bytes;
        self.rewritten_files += other.rewritten_files;
        self.rewritten_bytes += other.rewritten_bytes;
        self.copied_rows += other.copied_rows;
        self.files_with_new_deletes += other.files_with_new_deletes;
        self.replaced_files += other.replaced_files;
        self.replaced_bytes += other.replaced_bytes;
    }
}
