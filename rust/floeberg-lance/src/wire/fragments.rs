//! What does a manifest say of its fragments, as columns?
//!
//! In: the bytes of a manifest. Out: ids, rows, files and deletes of all fragments, each a column, over these bytes.
//! Spec: Lance, `table.proto`, `DataFragment`; the numbers are those of the tables of [`Fragment`] and its parts.
//!
//! Invariant: no object is made for a fragment, since tables have hundreds of thousands; what is not asked for stays bytes. A
//! fragment that nobody changes is written as it was read.

use std::ops::Range;

use bytes::Bytes;
use floeberg_core::{Context as _, Error, Result};
use floeberg_protobuf::{Record, Records, Value, damaged, parse};

use super::fragment::{DeletionFile, DeletionFileType, Fragment};
use super::layout::{Layout, Layouts, Written};
use super::rope::Rope;
use super::sparse::Sparse;

/// Where bytes lie in the manifest, which is below 4 GiB. An end before the start says that there are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub start: u32,
    pub end: u32,
}

/// The field of a manifest that is a fragment.
pub(super) const FRAGMENT: u32 = 2;
const ABSENT: Span = Span { start: 1, end: 0 };
/// In place of a sequence: it is a hidden column of a data file.
const IN_A_COLUMN: Span = Span { start: 2, end: 0 };
/// In place of a base: the table's own folder.
const NO_BASE: u64 = u64::MAX;

impl Span {
    pub fn new(range: Range<usize>) -> Self {
        Self { start: range.start as u32, end: range.end as u32 }
    }

    pub fn range(self) -> Option<Range<usize>> {
        (self.start <= self.end).then_some(self.start as usize..self.end as usize)
    }

    /// The same bytes in a manifest where they lie so much further behind; modulo 2^32, so that they may lie before as well.
    pub fn moved(self, by: u32) -> Self {
        if self.start > self.end {
            return self;
        }
        Self { start: self.start.wrapping_add(by), end: self.end.wrapping_add(by) }
    }
}

/// The fragments of a manifest.
#[derive(Debug, Clone)]
pub struct Fragments {
    pub(super) bytes: Rope,
    /// Key, length and message.
    pub(super) records: Vec<Span>,
    pub(super) ids: Vec<u64>,
    pub(super) physical_rows: Vec<u64>,
    pub(super) deletion_files: Sparse<Span>,
    pub(super) deleted_rows: Sparse<u64>,
    pub(super) row_ids: Sparse<Span>,
    pub(super) last_updated: Sparse<Span>,
    pub(super) created: Sparse<Span>,
    /// For each fragment the end of its files.
    pub(super) file_ends: Vec<u32>,
    pub(super) file_paths: Vec<Span>,
    pub(super) file_layouts: Vec<u32>,
    pub(super) file_sizes: Vec<u64>,
    pub(super) file_bases: Sparse<u64>,
    pub(super) layouts: Vec<Layout>,
    /// Fragments of which single values were replaced.
    pub(super) overlays: Sparse<bool>,
}

/// A data file of a fragment.
#[derive(Debug, Clone, Copy)]
pub struct FileOf<'a> {
    /// The path below the folder of data.
    pub path: &'a str,
    /// The fields in it.
    pub layout: &'a Layout,
    /// The size; 0 where that is not known.
    pub size_bytes: u64,
    /// The base that the path is below; `None` is the table's own.
    pub base_id: Option<u32>,
}

/// Where the ids or versions of a fragment's rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineageOf<'a> {
    /// Nowhere.
    Absent,
    /// A sequence in the manifest.
    Inline(&'a [u8]),
    /// A hidden column of a data file.
    Column,
}

impl Fragments {
    /// No fragments of a manifest, with room for this many.
    pub(super) fn with_room(bytes: Rope, fragments: usize) -> Self {
        Self {
            bytes,
            records: Vec::with_capacity(fragments),
            ids: Vec::with_capacity(fragments),
            physical_rows: Vec::with_capacity(fragments),
            deletion_files: Sparse::new(ABSENT),
            deleted_rows: Sparse::new(0),
            row_ids: Sparse::new(ABSENT),
            last_updated: Sparse::new(ABSENT),
            created: Sparse::new(ABSENT),
            file_ends: Vec::with_capacity(fragments),
            // Most have one file.
            file_paths: Vec::with_capacity(fragments),
            file_layouts: Vec::with_capacity(fragments),
            file_sizes: Vec::with_capacity(fragments),
            file_bases: Sparse::new(NO_BASE),
            layouts: Vec::new(),
            overlays: Sparse::new(false),
        }
    }

    /// Reads the fragments of a manifest: `count` of them lie in a part of it. Errors: `InvalidData`.
    pub(super) fn read(bytes: &Bytes, part: Range<usize>, count: usize) -> Result<Self> {
        let mut read = Self::with_room(Rope::of(bytes.clone()), count);
        let mut layouts = Layouts::default();
        let mut fields = Records::new(&bytes[part.clone()]);
        while let Some(record) = fields.record()? {
            if record.number == FRAGMENT {
                read.add_fragment(bytes, &record, part.start, &mut layouts)?;
            }
        }
        read.layouts = layouts.found;
        Ok(read)
    }

    /// Adds a fragment, whose field of the manifest is given with the start of the part that it lies in.
    pub(super) fn add_fragment<'a>(
        &mut self,
        bytes: &'a [u8],
        record: &Record<'_>,
        start: usize,
        layouts: &mut Layouts<'a>,
    ) -> Result<()> {
        let place = self.len();
        let message = of(record, start)?;
        self.add_message(bytes, message, layouts).context("fragment", place)?;
        self.records.push(Span::new(record.span.start + start..record.span.end + start));
        Ok(())
    }

    fn add_message<'a>(
        &mut self,
        bytes: &'a [u8],
        message: Range<usize>,
        layouts: &mut Layouts<'a>,
    ) -> Result<()> {
        let (place, most) = (self.len(), self.ids.capacity());
        let (mut id, mut rows) = (0, 0);
        let (mut row_ids, mut last_updated, mut created) = (ABSENT, ABSENT, ABSENT);
        let mut fields = Records::new(&bytes[message.clone()]);
        while let Some(record) = fields.record()? {
            match record.number {
                1 => id = record.value.number()?,
                2 => self.add_file(bytes, of(&record, message.start)?, layouts)?,
                3 => {
                    let span = of(&record, message.start)?;
                    let deleted = parse::<DeletionFile>(&bytes[span.clone()])?.num_deleted_rows;
                    self.deleted_rows.set(place, deleted, most);
                    self.deletion_files.set(place, Span::new(span), most);
                }
                4 => rows = record.value.number()?,
                5 => row_ids = Span::new(of(&record, message.start)?),
                7 => last_updated = Span::new(of(&record, message.start)?),
                9 => created = Span::new(of(&record, message.start)?),
                11 => self.overlays.set(place, true, most),
                12 => row_ids = IN_A_COLUMN,
                13 => last_updated = IN_A_COLUMN,
                14 => created = IN_A_COLUMN,
                _ => {}
            }
        }
        self.row_ids.set(place, row_ids, most);
        self.last_updated.set(place, last_updated, most);
        self.created.set(place, created, most);
        self.ids.push(id);
        self.physical_rows.push(rows);
        self.file_ends.push(self.file_paths.len() as u32);
        Ok(())
    }

    fn add_file<'a>(
        &mut self,
        bytes: &'a [u8],
        message: Range<usize>,
        layouts: &mut Layouts<'a>,
    ) -> Result<()> {
        let (mut path, mut size, mut base) = (ABSENT, 0, NO_BASE);
        let (mut written, mut unusual) = (Written::default(), None::<Layout>);
        let mut fields = Records::new(&bytes[message.clone()]);
        while let Some(record) = fields.record()? {
            match record.number {
                1 => {
                    let span = of(&record, message.start)?;
                    std::str::from_utf8(&bytes[span.clone()])
                        .map_err(|_| damaged("a path that is not UTF-8"))?;
                    path = Span::new(span);
                }
                2 | 3 => {
                    let list =
                        if record.number == 2 { &mut written.fields } else { &mut written.column_indices };
                    match record.value {
                        Value::Bytes(packed) if list.is_empty() && unusual.is_none() => *list = packed,
                        value => add_piece(&written, &mut unusual, record.number, value)?,
                    }
                }
                4 => written.major = record.value.small()?,
                5 => written.minor = record.value.small()?,
                6 => size = record.value.number()?,
                7 => base = u64::from(record.value.small()?),
                _ => {}
            }
        }
        let layout = match unusual {
            None => layouts.number(written)?,
            Some(layout) => layouts.add(Layout { major: written.major, minor: written.minor, ..layout }),
        };
        self.file_bases.set(self.file_paths.len(), base, self.file_paths.capacity());
        self.file_paths.push(path);
        self.file_layouts.push(layout);
        self.file_sizes.push(size);
        Ok(())
    }

    /// The number of fragments.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The ids, in the order of the manifest, which is that of a scan.
    pub fn ids(&self) -> &[u64] {
        &self.ids
    }

    /// The rows of each, deleted ones included; 0 where that is not known.
    pub fn physical_rows(&self) -> &[u64] {
        &self.physical_rows
    }

    /// The deleted rows of a fragment; 0 also where there is a deletion file of which that is not known.
    pub fn deleted_rows(&self, fragment: usize) -> u64 {
        self.deleted_rows.get(fragment)
    }

    /// Has a fragment a deletion file?
    pub fn has_deletion_file(&self, fragment: usize) -> bool {
        self.deletion_files.get(fragment) != ABSENT
    }

    /// Has any a deletion file?
    pub fn have_deletion_files(&self) -> bool {
        self.deletion_files.kept().iter().any(|file| *file != ABSENT)
    }

    /// Has any files of which single values were replaced?
    pub fn have_overlays(&self) -> bool {
        self.overlays.kept().contains(&true)
    }

    /// The deletion file of a fragment.
    pub fn deletion_file(&self, fragment: usize) -> Result<Option<DeletionFile>> {
        self.deletion_files.get(fragment).range().map(|range| parse(self.bytes.get(range))).transpose()
    }

    /// The files of a fragment.
    pub fn files(&self, fragment: usize) -> impl ExactSizeIterator<Item = FileOf<'_>> {
        self.file_numbers(fragment).map(|file| self.file_at(file))
    }

    /// The number of files of all fragments.
    pub fn file_count(&self) -> usize {
        self.file_paths.len()
    }

    /// The layouts of all files.
    pub fn layouts(&self) -> &[Layout] {
        &self.layouts
    }

    /// The places of a fragment's files in [`Self::layouts`].
    pub(crate) fn layout_numbers(&self, fragment: usize) -> &[u32] {
        &self.file_layouts[self.file_numbers(fragment)]
    }

    /// The bases that files name, those of deletion files not included.
    pub(crate) fn file_bases(&self) -> impl Iterator<Item = u32> + '_ {
        self.file_bases.kept().iter().filter(|base| **base != NO_BASE).map(|base| *base as u32)
    }

    /// The ids of a fragment's rows.
    pub fn row_ids(&self, fragment: usize) -> LineageOf<'_> {
        self.lineage(self.row_ids.get(fragment))
    }

    /// The versions in which a fragment's rows were last changed.
    pub fn last_updated_at_versions(&self, fragment: usize) -> LineageOf<'_> {
        self.lineage(self.last_updated.get(fragment))
    }

    /// The versions in which a fragment's rows came into the table.
    pub fn created_at_versions(&self, fragment: usize) -> LineageOf<'_> {
        self.lineage(self.created.get(fragment))
    }

    /// How many have row ids?
    pub fn with_row_ids(&self) -> usize {
        self.row_ids.kept().iter().filter(|span| **span != ABSENT).count()
    }

    /// Has any row ids or versions in a hidden column?
    pub fn have_hidden_columns(&self) -> bool {
        let columns = [&self.row_ids, &self.last_updated, &self.created];
        columns.iter().any(|spans| spans.kept().contains(&IN_A_COLUMN))
    }

    /// A fragment with all that is known of it.
    pub fn fragment(&self, fragment: usize) -> Result<Fragment> {
        let record = self.bytes.get(self.records[fragment].range().unwrap_or_default());
        let field = Records::new(record).record()?;
        let field = field.ok_or_else(|| Error::internal("a fragment without bytes"))?;
        parse(field.value.bytes()?).context("fragment", fragment)
    }

    /// Some fragments as fields of a manifest, as they were read: one piece of bytes, where they lie behind one another.
    pub fn written(&self, fragments: Range<usize>) -> Vec<Bytes> {
        let runs = self.runs(fragments).into_iter();
        runs.flat_map(|run| self.bytes.pieces(self.span_of(&run))).collect()
    }

    /// Fragments whose bytes follow one another.
    pub(super) fn runs(&self, places: Range<usize>) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for place in places {
            match runs.last_mut() {
                Some(run) if self.records[run.end - 1].end == self.records[place].start => {
                    run.end = place + 1;
                }
                _ => runs.push(place..place + 1),
            }
        }
        runs
    }

    /// Where the bytes of fragments lie that follow one another, of at least one.
    pub(super) fn span_of(&self, run: &Range<usize>) -> Range<usize> {
        self.records[run.start].start as usize..self.records[run.end - 1].end as usize
    }

    pub(super) fn file_numbers(&self, fragment: usize) -> Range<usize> {
        let start = fragment.checked_sub(1).map_or(0, |before| self.file_ends[before]);
        start as usize..self.file_ends[fragment] as usize
    }

    fn file_at(&self, file: usize) -> FileOf<'_> {
        let path = self.file_paths[file].range().map(|range| std::str::from_utf8(self.bytes.get(range)));
        let base = self.file_bases.get(file);
        FileOf {
            // It was checked when it was read.
            path: path.and_then(std::result::Result::ok).unwrap_or_default(),
            layout: &self.layouts[self.file_layouts[file] as usize],
            size_bytes: self.file_sizes[file],
            base_id: (base != NO_BASE).then_some(base as u32),
        }
    }

    fn lineage(&self, span: Span) -> LineageOf<'_> {
        match span.range() {
            Some(range) => LineageOf::Inline(self.bytes.get(range)),
            None if span == IN_A_COLUMN => LineageOf::Column,
            None => LineageOf::Absent,
        }
    }
}

impl Default for Fragments {
    fn default() -> Self {
        Self::with_room(Rope::default(), 0)
    }
}

impl PartialEq for Fragments {
    fn eq(&self, other: &Self) -> bool {
        self.written(0..self.len()).concat() == other.written(0..other.len()).concat()
    }
}

/// The deletion file's type, for columns that show it.
pub fn type_name(file_type: DeletionFileType) -> &'static str {
    match file_type {
        DeletionFileType::Arrow => "arrow",
        DeletionFileType::Bitmap => "bitmap",
    }
}

/// Where the bytes of a field lie.
fn of(record: &Record<'_>, start: usize) -> Result<Range<usize>> {
    let length = record.value.bytes()?.len();
    let end = start + record.span.end;
    Ok(end - length..end)
}

/// A list in several pieces: what came before is decoded, and then this.
fn add_piece(written: &Written<'_>, unusual: &mut Option<Layout>, tag: u32, value: Value<'_>) -> Result<()> {
    if unusual.is_none() {
        let mut layout = Layout::default();
        Value::Bytes(written.fields).numbers(&mut layout.fields, Value::signed)?;
        Value::Bytes(written.column_indices).numbers(&mut layout.column_indices, Value::signed)?;
        *unusual = Some(layout);
    }
    if let Some(layout) = unusual {
        let list = if tag == 2 { &mut layout.fields } else { &mut layout.column_indices };
        value.numbers(list, Value::signed)?;
    }
    Ok(())
}
