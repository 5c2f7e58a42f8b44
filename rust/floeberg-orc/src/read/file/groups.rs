//! Which row groups of a stripe can be read without the others?
//!
//! In: a stripe, and the row groups that are left. Out: their rows, from the places where their streams start.
//! Spec: ORC v1, Indexes.
//!
//! Invariant: the rows are those that the whole stripe has at these places.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use floeberg_core::{Context as _, Result};

use super::StripeReader;
use super::index::{GroupRange, StripeIndex};
use super::open::OrcFile;
use super::stripe::rows_that_fit;
use super::tail::MOST_FOOTER;
use crate::read::column::{numbers_of, reader_of};
use crate::read::stream::Blocks;
use crate::wire::{Compression, IndexKind};

impl OrcFile {
    /// The index of a stripe, with the statistics and bloom filters of some leaves; `None` if the file has no index.
    ///
    /// Errors: those of the store, and of a damaged footer of the stripe.
    pub fn index(&self, stripe: usize, leaves: &BTreeSet<usize>) -> Result<Option<StripeIndex>> {
        let Some(stripe) = self.stripes.get(stripe) else { return Ok(None) };
        let group = u64::from(self.row_group);
        if group == 0 || stripe.place.rows <= group || !self.has_sound_statistics() {
            return Ok(None);
        }
        let location = self.location();
        let footer = self.stripe_footer(&stripe.place).context("path", location)?;
        let mut index = StripeIndex::new(stripe.place, footer, Arc::clone(&self.row), group);
        let mut columns = BTreeSet::new();
        numbers_of(&self.row, leaves, &mut columns);
        self.add(&mut index, &columns, true).context("path", location)?;
        // Without the entries of a column, nobody says that there are so many row groups.
        Ok((!index.is_empty()).then_some(index))
    }

    /// Where row groups start in the streams of some leaves; `None` if the index does not say it.
    pub fn group_ranges(
        &self,
        index: &mut StripeIndex,
        leaves: &BTreeSet<usize>,
        groups: &[Range<usize>],
    ) -> Result<Option<Vec<GroupRange>>> {
        let mut columns = BTreeSet::new();
        numbers_of(&self.row, leaves, &mut columns);
        let missing = columns.iter().filter(|column| !index.has(**column)).copied();
        let missing: BTreeSet<u32> = missing.collect();
        self.add(index, &missing, false).context("path", self.location())?;
        let is_plain = self.postscript.compression == Compression::None;
        let ranges = groups.iter().map(|groups| {
            let starts = index.starts(groups.start, &columns, is_plain)?;
            let ends = if groups.end < index.groups() {
                Some(index.starts(groups.end, &columns, is_plain)?)
            } else {
                None
            };
            Some(GroupRange {
                rows: index.first_row(groups.start)..index.first_row(groups.end),
                starts,
                ends,
            })
        });
        Ok(ranges.collect())
    }

    /// Reads the indexes of columns. What is damaged is left out.
    fn add(&self, index: &mut StripeIndex, columns: &BTreeSet<u32>, with_blooms: bool) -> Result<()> {
        let (mut keys, mut ranges) = (Vec::new(), Vec::new());
        let mut start = index.place.offset;
        let data_start = start.saturating_add(index.place.index_length);
        for stream in &index.footer.streams {
            let Some(end) = start.checked_add(stream.length).filter(|end| *end <= data_start) else { break };
            let kind = stream.index().filter(|_| columns.contains(&stream.column));
            if let Some(kind) = kind.filter(|kind| with_blooms || *kind == IndexKind::Rows) {
                keys.push((stream.column, kind));
                ranges.push(start..end);
            }
            start = end;
        }
        let stored = self.source.read_ranges(&ranges)?;
        for ((column, kind), bytes) in keys.into_iter().zip(stored) {
            let blocks = Blocks::new(bytes, self.postscript.compression, self.postscript.block_size);
            if let Ok(bytes) = blocks.read_all(MOST_FOOTER, "an index") {
                index.insert(column, kind, &bytes);
            }
        }
        Ok(())
    }

    /// The rows of some row groups of a stripe, as [`Self::read`] gives those of all.
    pub fn read_groups(
        &self,
        index: &StripeIndex,
        leaves: &BTreeSet<usize>,
        batch_rows: usize,
        groups: GroupRange,
    ) -> Result<StripeReader> {
        let rows = groups.rows.end - groups.rows.start;
        let location = self.location().to_owned();
        if leaves.is_empty() {
            return Ok(StripeReader::new(location, None, rows, batch_rows));
        }
        let read = || {
            let ends = groups.ends.as_ref();
            let streams = self.streams_of(&index.place, index.footer.clone(), leaves, groups.starts, ends)?;
            let stored = streams.bytes.values().map(|bytes| bytes.len() as u64).sum();
            let reader = reader_of(&self.row, leaves, &streams)?;
            let most = batch_rows.min(rows_that_fit(stored, rows));
            Ok(StripeReader::new(location, reader, rows, most))
        };
        read().context("path", self.location())
    }
}
