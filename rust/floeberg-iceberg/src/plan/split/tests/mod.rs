#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod even;
mod extent;
mod file_shape;
mod options;
mod packing;

use super::Part;
use super::file_shape::FileShape;

pub(super) const MIB: u64 = 1 << 20;

/// A Parquet file without deletes.
pub(super) fn file(number: usize, size: u64, split_offsets: &[i64]) -> FileShape<'_> {
    FileShape { number, size, is_cut: true, split_offsets, deletes: 0, delete_bytes: 0 }
}

/// What groups read: (file, first byte, last byte).
pub(super) fn parts(groups: &[Vec<Part>]) -> Vec<Vec<(usize, u64, u64)>> {
    let part = |part: &Part| (part.file, part.range.start, part.range.end);
    groups.iter().map(|group| group.iter().map(part).collect()).collect()
}
