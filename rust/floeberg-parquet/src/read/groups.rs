//! Which row groups of a file must be read?
//!
//! In: the footer, the filter and the part of the file that a task is for. Out: row groups, with the
//! positions of their rows.
//!
//! Invariant: positions count from the start of the file, whatever is left out. If ranges split a file, every row group
//! starts in exactly one of them.

use std::ops::Range;

use floeberg_core::expr::may_match;
use floeberg_files::{FileFilter, Unit};
use parquet::file::metadata::RowGroupMetaData;

use super::ParquetFile;
use super::group_statistics::GroupStatistics;

impl ParquetFile {
    /// The row groups of a file that start in a range of its bytes and may hold a matching row.
    pub(super) fn row_groups(&self, bytes: Option<&Range<u64>>, filter: &FileFilter) -> Vec<Unit> {
        let predicate = match filter {
            FileFilter::All | FileFilter::None => None,
            FileFilter::Rows(predicate) => Some(predicate),
        };
        let statistics = predicate.map(|predicate| (&predicate.expr, GroupStatistics::new(self, predicate)));
        let rows = self.row_ranges().into_iter();
        rows.zip(self.metadata().row_groups())
            .enumerate()
            .filter(|(number, (_, group))| {
                bytes.is_none_or(|bytes| bytes.contains(&first_byte(group)))
                    && statistics.as_ref().is_none_or(|(expr, known)| may_match(expr, &known.group(*number)))
            })
            .map(|(number, (rows, _))| Unit { number, rows: Some(rows) })
            .collect()
    }
}

/// Where a row group starts: at the dictionary of its first column, else at its first data page.
fn first_byte(group: &RowGroupMetaData) -> u64 {
    let Some(column) = group.columns().first() else { return 0 };
    let data = column.data_page_offset();
    // Without a dictionary, old writers put 0 here, where the magic of the file is.
    let start = column.dictionary_page_offset().filter(|offset| *offset > 0).map_or(data, |at| at.min(data));
    u64::try_from(start).unwrap_or(0)
}
