//! Which offset indexes of a file can the decoder use?
//!
//! In: the page index of a file. Out: the same, without offset indexes that the decoder would misread.
//! Spec: Appendix A, Parquet (offset indexes are Parquet's own).
//!
//! The decoder fetches only pages with wanted rows, and then reads all pages in order, also pages without rows. Some writers
//! (Arrow C++, for lists) leave pages without rows, which Parquet allows: the decoder fails at the first, because it was not
//! fetched. It also subtracts row indexes without checking their order.
//!
//! Invariant: the pages of every remaining offset index lie in the column's bytes, and each has at least one row. A column
//! chunk without an offset index is read whole.

use std::any::Any;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use parquet::file::metadata::page_index::PageIndexProvider;
use parquet::file::metadata::{
    ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataBuilder, RowGroupMetaData,
};
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::page_index::offset_index::{OffsetIndexMetaData, PageLocation};

/// A file's page index, without unusable offset indexes.
#[derive(Debug)]
struct TrustedPages {
    index: Arc<dyn PageIndexProvider>,
    /// Row groups and columns whose offset index is left out.
    left_out: HashSet<(usize, usize)>,
}

/// The metadata with only the offset indexes that the decoder can use, of some columns in some row groups.
pub(super) fn trusted(metadata: ParquetMetaData, groups: &[usize], columns: &[usize]) -> ParquetMetaData {
    let Some(index) = metadata.page_index().cloned() else { return metadata };
    let chunks = groups.iter().flat_map(|group| columns.iter().map(|column| (*group, *column)));
    let left_out: HashSet<_> = chunks
        .filter(|(group, column)| {
            index.page_locations(*group, *column).is_some_and(|pages| {
                metadata.row_groups().get(*group).is_none_or(|group| !tell_rows(pages, group, *column))
            })
        })
        .collect();
    if left_out.is_empty() {
        return metadata;
    }
    let index: Arc<dyn PageIndexProvider> = Arc::new(TrustedPages { index, left_out });
    ParquetMetaDataBuilder::new_from_metadata(metadata).set_page_index(Some(index)).build()
}

/// Do pages lie in their column chunk, one after another, each with rows of its own?
fn tell_rows(pages: &[PageLocation], group: &RowGroupMetaData, column: usize) -> bool {
    let Some(chunk) = group.columns().get(column).and_then(bytes_of_chunk) else { return false };
    let mut bytes_from = chunk.start;
    let mut row = None;
    for page in pages {
        let Some(bytes) = bytes_of(page) else { return false };
        let is_next = row.map_or(page.first_row_index == 0, |row| page.first_row_index > row);
        if !is_next || bytes.start < bytes_from || bytes.end > chunk.end {
            return false;
        }
        (bytes_from, row) = (bytes.end, Some(page.first_row_index));
    }
    row.is_some_and(|row| row < group.num_rows())
}

fn bytes_of_chunk(chunk: &ColumnChunkMetaData) -> Option<Range<u64>> {
    let start = u64::try_from(chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset())).ok()?;
    Some(start..start.checked_add(u64::try_from(chunk.compressed_size()).ok()?)?)
}

fn bytes_of(page: &PageLocation) -> Option<Range<u64>> {
    let start = u64::try_from(page.offset).ok()?;
    let length = u64::try_from(page.compressed_page_size).ok().filter(|length| *length > 0)?;
    Some(start..start.checked_add(length)?)
}

impl PageIndexProvider for TrustedPages {
    fn has_offset_indexes(&self) -> bool {
        self.index.has_offset_indexes()
    }

    fn has_column_indexes(&self) -> bool {
        self.index.has_column_indexes()
    }

    fn column_index(&self, group: usize, column: usize) -> Option<&ColumnIndexMetaData> {
        self.index.column_index(group, column)
    }

    fn offset_index(&self, group: usize, column: usize) -> Option<&OffsetIndexMetaData> {
        if self.left_out.contains(&(group, column)) { None } else { self.index.offset_index(group, column) }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[cfg(test)]
mod tests;
