//! What does reading a data file cost, and where can it be split?
//!
//! In: the columns of a plan. Out: a few numbers per file, without a task.

use arrow_array::{Array, Int32Array, Int64Array, ListArray, RecordBatch, StringArray};
use floeberg_core::Result;

use super::SplitOptions;
use crate::plan::FileFormat;
use crate::plan::columns::{column, typed};

/// The most pieces, about, of files whose row groups are not known: their sizes come from manifests and may be
/// anything.
const MOST_PIECES: u128 = 1 << 20;

/// The properties of a data file that splitting needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileShape<'a> {
    /// Its number in the plan.
    pub number: usize,
    /// Bytes, as its writer recorded them.
    pub size: u64,
    /// Can it be read in parts?
    pub is_cut: bool,
    /// Where row groups start, as its writer recorded it.
    pub split_offsets: &'a [i64],
    /// How many deletes apply to it.
    pub deletes: u64,
    /// Bytes of these deletes.
    pub delete_bytes: u64,
}

/// A part of a file in which row groups are read as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// The row groups whose first byte is in this range.
    pub range: std::ops::Range<u64>,
    /// Bytes, if known.
    pub bytes: u64,
}

/// Where the pieces of a file start.
#[derive(Debug, Clone, Copy)]
enum Starts<'a> {
    RowGroups(&'a [i64]),
    Every(u64),
}

impl FileShape<'_> {
    /// What reading a part of the file costs, in bytes.
    pub fn weight(&self, bytes: u64, options: SplitOptions) -> u64 {
        let opens = options.open_file_cost.saturating_mul(self.deletes.saturating_add(1));
        bytes.saturating_add(self.delete_bytes).max(opens)
    }

    /// The bytes that are read of the file and of its deletes.
    pub fn bytes(&self) -> u64 {
        self.size.saturating_add(self.delete_bytes)
    }

    /// The parts that the file can be split into: its row groups, or pieces of `length` bytes if those are not known.
    ///
    /// The first starts at 0 and the last has no end, so that wrong sizes and offsets lose no rows.
    pub fn pieces(&self, length: u64) -> impl Iterator<Item = Piece> + '_ {
        let (starts, count) = self.starts(length);
        let size = self.size;
        (0..count).map(move |number| {
            let is_last = number + 1 == count;
            let start = starts.of(number);
            let next = if is_last { size } else { starts.of(number + 1) };
            let range = (if number == 0 { 0 } else { start })..(if is_last { u64::MAX } else { next });
            Piece { range, bytes: next.saturating_sub(start) }
        })
    }

    fn starts(&self, length: u64) -> (Starts<'_>, u64) {
        if let Some(offsets) = self.row_groups() {
            return (Starts::RowGroups(offsets), offsets.len() as u64);
        }
        if self.is_cut {
            (Starts::Every(length), self.size.div_ceil(length).max(1))
        } else {
            (Starts::Every(0), 1)
        }
    }

    /// Where row groups start, if the file can be split there and the manifest is plausible.
    fn row_groups(&self) -> Option<&[i64]> {
        let offsets = self.split_offsets;
        let (first, last) = (offsets.first()?, offsets.last()?);
        let ascend = offsets.windows(2).all(|pair| pair[0] < pair[1]);
        let inside = *first >= 0 && u64::try_from(*last).is_ok_and(|last| last < self.size);
        (self.is_cut && ascend && inside).then_some(offsets)
    }
}

/// The length of pieces of files whose row groups are not known: the wanted length, or longer if there would be too
/// many.
pub(super) fn piece_length<'a>(files: impl Iterator<Item = FileShape<'a>>, wanted: u64) -> u64 {
    let unknown = files.filter(|file| file.is_cut && file.row_groups().is_none());
    let bytes: u128 = unknown.map(|file| u128::from(file.size)).sum();
    u64::try_from(bytes.div_ceil(MOST_PIECES)).unwrap_or(u64::MAX).max(wanted).max(1)
}

impl Starts<'_> {
    fn of(&self, number: u64) -> u64 {
        match self {
            Self::RowGroups(offsets) => {
                offsets.get(number as usize).map_or(0, |offset| u64::try_from(*offset).unwrap_or(0))
            }
            Self::Every(piece) => piece.saturating_mul(number),
        }
    }
}

/// The columns of a chunk that shapes are made of.
pub(super) struct ShapeColumns<'a> {
    first: usize,
    sizes: &'a [i64],
    formats: &'a StringArray,
    split_offsets: Lists<'a, i64>,
    deletes: Lists<'a, i32>,
    delete_bytes: &'a [u64],
}

/// A column of lists of numbers.
struct Lists<'a, T> {
    ends: &'a [i32],
    values: &'a [T],
}

impl<'a, T> Lists<'a, T> {
    fn of(&self, row: usize) -> &'a [T] {
        &self.values[self.ends[row] as usize..self.ends[row + 1] as usize]
    }
}

impl<'a> ShapeColumns<'a> {
    /// The columns of a chunk whose first file has this number.
    pub fn of(chunk: &'a RecordBatch, first: usize, delete_bytes: &'a [u64]) -> Result<Self> {
        let offsets = typed::<ListArray>(chunk.column(column::SPLIT_OFFSETS))?;
        let deletes = typed::<ListArray>(chunk.column(column::DELETE_FILES))?;
        Ok(Self {
            first,
            sizes: typed::<Int64Array>(chunk.column(column::FILE_SIZE))?.values(),
            formats: typed(chunk.column(column::FILE_FORMAT))?,
            split_offsets: Lists {
                ends: offsets.value_offsets(),
                values: typed::<Int64Array>(offsets.values())?.values(),
            },
            deletes: Lists {
                ends: deletes.value_offsets(),
                values: typed::<Int32Array>(deletes.values())?.values(),
            },
            delete_bytes,
        })
    }

    /// The shapes of its files.
    pub fn shapes(&self) -> impl Iterator<Item = FileShape<'a>> + Clone + '_ {
        (0..self.formats.len()).map(|row| self.shape(row))
    }

    fn shape(&self, row: usize) -> FileShape<'a> {
        let deletes = self.deletes.of(row);
        let bytes = deletes.iter().filter_map(|number| self.delete_bytes.get(*number as usize));
        // An unknown format is reported when the file is read.
        let format = self.formats.value(row).parse();
        FileShape {
            number: self.first + row,
            size: u64::try_from(self.sizes[row]).unwrap_or(0),
            is_cut: matches!(format, Ok(FileFormat::Parquet | FileFormat::Orc)),
            split_offsets: self.split_offsets.of(row),
            deletes: deletes.len() as u64,
            delete_bytes: bytes.fold(0, |sum: u64, bytes| sum.saturating_add(*bytes)),
        }
    }
}
