//! How do batches of the data files of a fragment become batches of the table?
//!
//! In: rows of a fragment, and what decodes pages. Out: batches of the table.
//!
//! Invariant: decoders may cut their batches as they like: rows that one file gives before another wait.

use std::collections::VecDeque;

use arrow_array::RecordBatch;
use floeberg_core::{Error, Result};

use super::fragment::{FragmentRows, Rows};
use crate::pages::{PageBatches, Pages};

/// The rows of a batch, where no data file cuts the rows.
const ROWS_OF_A_BATCH: usize = 65536;

/// Batches of a fragment.
#[derive(Debug)]
pub struct FragmentBatches {
    rows: FragmentRows,
    files: Vec<FileBatches>,
}

/// Batches of a data file, and decoded rows that are not used yet.
#[derive(Debug)]
struct FileBatches {
    pages: Box<dyn PageBatches>,
    waiting: VecDeque<RecordBatch>,
}

impl FragmentBatches {
    /// Begins to read the data files of a fragment. Errors: those of [`Pages`].
    pub fn open(rows: FragmentRows, pages: &dyn Pages) -> Result<Self> {
        let files = rows.files().iter().map(|file| {
            let pages = match rows.rows() {
                Rows::Range(range) => pages.read(&file.location, &file.paths, range.clone())?,
                Rows::Some(single) => pages.take(&file.location, &file.paths, single)?,
            };
            Ok(FileBatches { pages, waiting: VecDeque::new() })
        });
        let files = files.collect::<Result<_>>()?;
        Ok(Self { rows, files })
    }

    /// The next batch, which may have no rows; `None` after the last one.
    ///
    /// Errors: `InvalidData` for a file that has other rows or types than the manifest says; those of the decoder.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        let left = usize::try_from(self.rows.left()).unwrap_or(usize::MAX);
        if left == 0 {
            return Ok(None);
        }
        for (batches, file) in self.files.iter_mut().zip(self.rows.files()) {
            batches.fill(&file.location)?;
        }
        let first = |file: &FileBatches| file.waiting.front().map_or(0, RecordBatch::num_rows);
        let count = self.files.iter().map(first).min().unwrap_or(ROWS_OF_A_BATCH).min(left);
        let batches: Vec<_> = self.files.iter_mut().map(|file| file.take(count)).collect();
        self.rows.batch(&batches, count).map(Some)
    }
}

impl FileBatches {
    /// Decodes until rows wait.
    fn fill(&mut self, location: &str) -> Result<()> {
        while self.waiting.is_empty() {
            let Some(batch) = self.pages.next_batch()? else {
                let error = Error::invalid_data("expected more rows in a data file, found its end");
                return Err(error.with("path", location));
            };
            if batch.num_rows() > 0 {
                self.waiting.push_back(batch);
            }
        }
        Ok(())
    }

    fn take(&mut self, count: usize) -> RecordBatch {
        match self.waiting.pop_front() {
            Some(batch) if batch.num_rows() > count => {
                self.waiting.push_front(batch.slice(count, batch.num_rows() - count));
                batch.slice(0, count)
            }
            Some(batch) => batch,
            None => RecordBatch::new_empty(self.pages.schema()),
        }
    }
}
