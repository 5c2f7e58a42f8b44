//! How do several workers look for the files that snapshots need which stay?
//!
//! In: the files that expired snapshots needed. Out: their places, tasks that read manifests, and the files that none of these names.
//!
//! ```text
//! files of expired snapshots  ->  their places                 ->  joined by an engine  ->  numbers of files that are needed
//! snapshots that stay         ->  manifests, read by tasks     ->
//! ```
//!
//! Spec: Snapshot Retention Policy; Manifests.
//!
//! Invariant: two files are the same for these workers exactly where they are for [`unneeded_files`](crate::unneeded_files).

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use floeberg_core::{Error, Result};
use floeberg_iceberg::manifest::ReachableFile;

use crate::orphan_parts::{batch, tasks};
use crate::place::Places;
use crate::unneeded::ExpiredFiles;

impl ExpiredFiles {
    /// The places of the data files and delete files: `number`, `prefix` and `path`.
    ///
    /// Errors: `Internal` for more than an Arrow array holds.
    pub fn places(&self) -> Result<RecordBatch> {
        let mut places = Places::default();
        let found: Vec<_> = self.files.iter().map(|file| places.of(&file.location)).collect();
        let columns: Vec<ArrayRef> = vec![
            Arc::new((0..found.len() as i64).collect::<Int64Array>()),
            Arc::new(StringArray::from_iter_values(found.iter().map(|place| &place.prefix))),
            Arc::new(StringArray::from_iter_values(found.iter().map(|place| &place.path))),
        ];
        batch(&["number", "prefix", "path"], columns)
    }

    /// Tasks that read the manifests of the snapshots that stay, at most so many: see [`named_places`](crate::named_places). None where
    /// no file may go.
    ///
    /// Errors: those of writing their bytes.
    pub fn tasks(&self, most_tasks: usize) -> Result<Vec<Vec<u8>>> {
        if self.files.is_empty() { Ok(Vec::new()) } else { tasks(&self.stay, &self.live, most_tasks) }
    }

    /// The files that nothing needs any more, where other workers found those that are needed: their numbers.
    ///
    /// Errors: `InvalidInput` for a number that no file has.
    pub fn unneeded_but(&self, needed: impl IntoIterator<Item = i64>) -> Result<Vec<ReachableFile>> {
        let number = |number: i64| {
            let known = usize::try_from(number).ok().filter(|number| *number < self.files.len());
            known.ok_or_else(|| {
                let files = self.files.len();
                Error::invalid_input(format!("expected the number of one of {files} files, found {number}"))
            })
        };
        let needed = needed.into_iter().map(number).collect::<Result<HashSet<usize>>>()?;
        let mut numbers = 0..;
        Ok(self.unneeded(|_| numbers.next().is_some_and(|number| needed.contains(&number))))
    }
}
