//! How far is a write?
//!
//! In: rows and files that are done with, from the thread that writes. Out: numbers that another thread may read at any time.

use std::sync::atomic::{AtomicU64, Ordering};

/// How far a write is.
#[derive(Debug, Default)]
pub struct WriteProgress {
    files: AtomicU64,
    rows: AtomicU64,
}

impl WriteProgress {
    /// Files are durable.
    pub(super) fn add_files(&self, files: usize) {
        self.files.fetch_add(files as u64, Ordering::Relaxed);
    }

    /// Rows are encoded, or counted.
    pub(crate) fn add_rows(&self, rows: usize) {
        self.rows.fetch_add(rows as u64, Ordering::Relaxed);
    }

    /// The files that were ended.
    pub fn files(&self) -> u64 {
        self.files.load(Ordering::Relaxed)
    }

    /// The rows that were encoded, in files that were ended or not.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }
}
