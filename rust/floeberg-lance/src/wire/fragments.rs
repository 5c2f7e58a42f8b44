//! What does a manifest say of its fragments, as columns?
//!
//! In: the bytes of a manifest. Out: ids, rows, files and deletes of all fragments, each a column, over these bytes.
//! Spec: Lance, `table.proto`, `DataFragment`.
//!
//! Invariant: no object is made for a fragment, since tables have hundreds of thousands; what is not asked for stays bytes. A
//! fragment that nobody changes is written as it was read.

use std::ops::Range;

use bytes::Bytes;
use floeberg_core::{Context as _, Error, Result};

use super::fragment::{DeletionFile, DeletionFileType, Fragment};
use super::layout::{Layout, Layouts, Written};
use super::message::{Message, Record, Value, damaged};
use super::structure::parse;

/// Where bytes lie in the manifest, which is below 4 GiB. An end before the start says that there are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    start: u32,
    end: u32,
}

const ABSENT: Span = Span { start: 1, end: 0 };
/// In place of a sequence: it is a hidden column of a data file.
const IN_A_COLUMN: Span = Span { start: 2, end: 0 };
/// In place of a base: the table's own folder.
const NO_BASE: u64 = u64::MAX;

impl Span {
    fn new(range: Range<usize>) -> Self {
        Self { start: range.start as u32, end: range.end as u32 }
    }

    fn range(self) -> Option<Range<usize>> {
        (self.start <= self.end).then_some(self.start as usize..self.end as usize)
    }
}

/// The fragments of a manifest.
#[derive(Debug, Clone, Default)]
pub struct Fragments {
    bytes: Bytes,
    /// Key, length and message.
    records: Vec<Span>,
    messages: Vec<Span>,
    ids: Vec<u64>,
    physical_rows: Vec<u64>,
    deletion_files: Vec<Span>,
    deleted_rows: Vec<u64>,
    row_ids: Vec<Span>,
    last_updated: Vec<Span>,
    created: Vec<Span>,
    /// For each fragment the end of its files.
    file_ends: Vec<u32>,
    file_paths: Vec<Span>,
    file_layouts: Vec<u32>,
    file_sizes: Vec<u64>,
    file_bases: Vec<u64>,
    layouts: Vec<Layout>,
    has_overlays: bool,
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
    /// Reads the fragments that lie at `records` in a manifest. Errors: `InvalidData`.
    pub(super) fn read(bytes: &Bytes, records: &[Range<usize>]) -> Result<Self> {
        let mut read = Self { bytes: bytes.clone(), ..Self::default() };
        read.reserve(records.len());
        let mut layouts = Layouts::default();
        for record in records {
            let message = body(bytes, record)?;
            let at = read.len();
            read.records.push(Span::new(record.clone()));
            read.messages.push(Span::new(message.clone()));
            read.add_fragment(bytes, message, &mut layouts).context("fragment", at)?;
        }
        read.layouts = layouts.found;
        Ok(read)
    }

    fn reserve(&mut self, fragments: usize) {
        self.records.reserve_exact(fragments);
        self.messages.reserve_exact(fragments);
        self.ids.reserve_exact(fragments);
        self.physical_rows.reserve_exact(fragments);
        self.deletion_files.reserve_exact(fragments);
        self.deleted_rows.reserve_exact(fragments);
        self.row_ids.reserve_exact(fragments);
        self.last_updated.reserve_exact(fragments);
        self.created.reserve_exact(fragments);
        self.file_ends.reserve_exact(fragments);
    }

    fn add_fragment<'a>(
        &mut self,
        bytes: &'a [u8],
        message: Range<usize>,
        layouts: &mut Layouts<'a>,
    ) -> Result<()> {
        let (mut id, mut rows, mut deletion, mut deleted) = (0, 0, ABSENT, 0);
        let (mut row_ids, mut last_updated, mut created) = (ABSENT, ABSENT, ABSENT);
        let mut fields = Message::new(&bytes[message.clone()]);
        while let Some(record) = fields.record()? {
            match record.tag {
                1 => id = record.value.number()?,
                2 => self.add_file(bytes, of(&record, message.start)?, layouts)?,
                3 => {
                    let span = of(&record, message.start)?;
                    deleted = parse::<DeletionFile>(&bytes[span.clone()])?.num_deleted_rows;
                    deletion = Span::new(span);
                }
                4 => rows = record.value.number()?,
                5 => row_ids = Span::new(of(&record, message.start)?),
                7 => last_updated = Span::new(of(&record, message.start)?),
                9 => created = Span::new(of(&record, message.start)?),
                11 => self.has_overlays = true,
                12 => row_ids = IN_A_COLUMN,
                13 => last_updated = IN_A_COLUMN,
                14 => created = IN_A_COLUMN,
                _ => {}
            }
        }
        self.ids.push(id);
        self.physical_rows.push(rows);
        self.deletion_files.push(deletion);
        self.deleted_rows.push(deleted);
        self.row_ids.push(row_ids);
        self.last_updated.push(last_updated);
        self.created.push(created);
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
        let mut fields = Message::new(&bytes[message.clone()]);
        while let Some(record) = fields.record()? {
            match record.tag {
                1 => {
                    let span = of(&record, message.start)?;
                    std::str::from_utf8(&bytes[span.clone()])
                        .map_err(|_| damaged("a path that is not UTF-8"))?;
                    path = Span::new(span);
                }
                2 | 3 => {
                    let list =
                        if record.tag == 2 { &mut written.fields } else { &mut written.column_indices };
                    match record.value {
                        Value::Bytes(packed) if list.is_empty() && unusual.is_none() => *list = packed,
                        value => add_piece(&written, &mut unusual, record.tag, value)?,
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
        self.file_paths.push(path);
        self.file_layouts.push(layout);
        self.file_sizes.push(size);
        self.file_bases.push(base);
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

    /// The deleted rows of each; 0 also where there is a deletion file of which that is not known.
    pub fn deleted_rows(&self) -> &[u64] {
        &self.deleted_rows
    }

    /// Has a fragment a deletion file?
    pub fn has_deletion_file(&self, fragment: usize) -> bool {
        self.deletion_files[fragment] != ABSENT
    }

    /// Has any a deletion file?
    pub fn have_deletion_files(&self) -> bool {
        self.deletion_files.iter().any(|file| *file != ABSENT)
    }

    /// Has any files of which single values were replaced?
    pub fn have_overlays(&self) -> bool {
        self.has_overlays
    }

    /// The deletion file of a fragment.
    pub fn deletion_file(&self, fragment: usize) -> Result<Option<DeletionFile>> {
        self.deletion_files[fragment].range().map(|range| parse(&self.bytes[range])).transpose()
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
        self.file_bases.iter().filter(|base| **base != NO_BASE).map(|base| *base as u32)
    }

    /// The ids of a fragment's rows.
    pub fn row_ids(&self, fragment: usize) -> LineageOf<'_> {
        self.lineage(self.row_ids[fragment])
    }

    /// The versions in which a fragment's rows were last changed.
    pub fn last_updated_at_versions(&self, fragment: usize) -> LineageOf<'_> {
        self.lineage(self.last_updated[fragment])
    }

    /// The versions in which a fragment's rows came into the table.
    pub fn created_at_versions(&self, fragment: usize) -> LineageOf<'_> {
        self.lineage(self.created[fragment])
    }

    /// How many have row ids?
    pub fn with_row_ids(&self) -> usize {
        self.row_ids.iter().filter(|span| **span != ABSENT).count()
    }

    /// Has any row ids or versions in a hidden column?
    pub fn have_hidden_columns(&self) -> bool {
        [&self.row_ids, &self.last_updated, &self.created].iter().any(|spans| spans.contains(&IN_A_COLUMN))
    }

    /// A fragment with all that is known of it.
    pub fn fragment(&self, fragment: usize) -> Result<Fragment> {
        let range = self.messages[fragment].range().unwrap_or_default();
        parse(&self.bytes[range]).context("fragment", fragment)
    }

    /// Some fragments as fields of a manifest, as they were read: one piece of bytes, where they lie behind one another.
    pub fn written(&self, fragments: Range<usize>) -> Vec<&[u8]> {
        let mut pieces: Vec<Range<usize>> = Vec::new();
        for range in self.records[fragments].iter().filter_map(|span| span.range()) {
            match pieces.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => pieces.push(range),
            }
        }
        pieces.into_iter().map(|range| &self.bytes[range]).collect()
    }

    fn file_numbers(&self, fragment: usize) -> Range<usize> {
        let start = fragment.checked_sub(1).map_or(0, |before| self.file_ends[before]);
        start as usize..self.file_ends[fragment] as usize
    }

    fn file_at(&self, file: usize) -> FileOf<'_> {
        let path = self.file_paths[file].range().map(|range| std::str::from_utf8(&self.bytes[range]));
        let base = self.file_bases[file];
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
            Some(range) => LineageOf::Inline(&self.bytes[range]),
            None if span == IN_A_COLUMN => LineageOf::Column,
            None => LineageOf::Absent,
        }
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

/// Where the message of a record lies.
fn body(bytes: &[u8], record: &Range<usize>) -> Result<Range<usize>> {
    let field = Message::new(&bytes[record.clone()]).record()?;
    of(&field.ok_or_else(|| Error::internal("a fragment without bytes"))?, record.start)
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
