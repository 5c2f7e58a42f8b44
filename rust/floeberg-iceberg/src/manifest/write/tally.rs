//! What does a manifest list say about the entries of a manifest?
//!
//! In: entries, one after the other. Out: how many files and rows they have, the lowest sequence number, and the summaries.
//! Spec: Manifest Lists; Sequence Number Inheritance; First Row ID Inheritance.
//!
//! Invariant: the numbers of several parts of a manifest, joined, are those of all entries.

use floeberg_core::{Error, Result};

use super::summary::Summaries;
use super::{EntryStatus, ManifestEntry};

/// The numbers of the entries so far.
pub(super) struct Tally {
    pub(super) summaries: Summaries,
    /// Existing, added and deleted entries and rows.
    pub(super) counts: [Count; 3],
    /// Rows of live entries without a first row id.
    pub(super) rows_without_ids: i64,
    /// The lowest sequence number of live entries with one of their own.
    pub(super) least_sequence_number: Option<i64>,
    /// Does any live entry inherit the sequence number of the commit?
    pub(super) inherits: bool,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Count {
    pub(super) files: i64,
    pub(super) rows: i64,
}

/// The rows with an entry: those of its status, and those without ids.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counted {
    rows: i64,
    without_ids: i64,
}

impl Tally {
    pub(super) fn new(partition_fields: usize) -> Self {
        Self {
            summaries: Summaries::new(partition_fields),
            counts: [Count::default(); 3],
            rows_without_ids: 0,
            least_sequence_number: None,
            inherits: false,
        }
    }

    /// The number of entries.
    pub(super) fn files(&self) -> u64 {
        self.counts.iter().map(|count| u64::try_from(count.files).unwrap_or(0)).sum()
    }

    /// The rows with an entry. Nothing changes. Errors: `InvalidInput` where they do not fit into 64 bits.
    pub(super) fn counted(&self, entry: &ManifestEntry) -> Result<Counted> {
        let file = &entry.data_file;
        let takes_ids = entry.status != EntryStatus::Deleted && file.first_row_id.is_none();
        let new = if takes_ids { file.record_count } else { 0 };
        Ok(Counted {
            rows: sum(self.counts[entry.status as usize].rows, file.record_count)?,
            without_ids: sum(self.rows_without_ids, new)?,
        })
    }

    /// Adds an entry, with the rows that it was counted with.
    pub(super) fn add(&mut self, entry: &ManifestEntry, counted: Counted) {
        let count = &mut self.counts[entry.status as usize];
        *count = Count { files: count.files + 1, rows: counted.rows };
        self.rows_without_ids = counted.without_ids;
        self.summaries.add(&entry.data_file.partition);
        if entry.status != EntryStatus::Deleted {
            match entry.sequence_number {
                None => self.inherits = true,
                Some(number) => self.least(number),
            }
        }
    }

    /// Adds the entries of another part. Errors: `InvalidInput` where the rows do not fit into 64 bits.
    pub(super) fn join(&mut self, other: Self) -> Result<()> {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count = Count { files: count.files + more.files, rows: sum(count.rows, more.rows)? };
        }
        self.rows_without_ids = sum(self.rows_without_ids, other.rows_without_ids)?;
        self.summaries.join(other.summaries);
        self.inherits |= other.inherits;
        if let Some(number) = other.least_sequence_number {
            self.least(number);
        }
        Ok(())
    }

    fn least(&mut self, number: i64) {
        self.least_sequence_number =
            Some(self.least_sequence_number.map_or(number, |least| least.min(number)));
    }
}

fn sum(rows: i64, more: i64) -> Result<i64> {
    rows.checked_add(more)
        .ok_or_else(|| Error::invalid_input("the row count of a manifest does not fit into 64 bits"))
}
