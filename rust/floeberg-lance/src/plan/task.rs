//! What is to be read of a fragment?
//!
//! Rows, the files that hold their columns, and the file that deletes some of them: enough to read them elsewhere.

use std::ops::Range;

use crate::wire::{DeletionFile, Layout};

/// A run of rows of a fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The id of the fragment.
    pub fragment_id: u64,
    /// The rows of the fragment, deleted ones included.
    pub physical_rows: u64,
    /// Those that are to be read, deleted ones included.
    pub rows: Range<u64>,
    /// The data files.
    pub files: Vec<TaskFile>,
    /// What is deleted, and where that is.
    pub deletion_file: Option<(DeletionFile, String)>,
}

/// A data file of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskFile {
    /// Where it is.
    pub location: String,
    /// The fields in it.
    pub layout: Layout,
    /// The size; 0 where that is not known.
    pub size_bytes: u64,
}
