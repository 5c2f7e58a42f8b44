//! Which of the rows that were found would a source change?
//!
//! In: rows by their files, each with its row of the source, and columns of the source. Out: the rows in which a column differs, and
//! those that go.
//! Spec: Column Projection.
//!
//! Invariant: a row that would not change is left out. Once a row differs in a column, its other columns are not read.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::ArrayRef;
use arrow_buffer::BooleanBuffer;
use floeberg_core::expr::BoundExpr;
use floeberg_core::schema::{Field, PrimitiveType, Schema, Type};
use floeberg_core::{Cancel, Context as _, Result};
use floeberg_exec::budget::thread_budget;
use floeberg_exec::threads::ordered;
use floeberg_rows::differing_rows;
use roaring::RoaringTreemap;

use super::found_rows::{FoundFile, FoundRows, with_position};
use super::paired_rows::{Pair, read_pairs};
use super::source_columns::SourceColumns;
use crate::Scan;
use crate::plan::FileScanTask;
use crate::read::{ReadRequest, TableReader};

/// Rows that a source changes.
#[derive(Debug)]
pub struct ReplacedRows {
    pub(super) files: Vec<ReplacedFile>,
    pub(super) source: Arc<SourceColumns>,
}

/// Rows of a data file that a source changes.
#[derive(Debug, Clone)]
pub(super) struct ReplacedFile {
    /// The file, without its deletes: none of these rows is deleted.
    pub task: FileScanTask,
    /// Their positions, ascending, each with its row of the source.
    pub replaced: Vec<Pair>,
    /// The positions of rows that go.
    pub gone: RoaringTreemap,
}

impl FoundRows {
    /// Compares the rows with those of a source, of which each key has one. A row goes if the source ends before its row: the rest
    /// were keys alone.
    ///
    /// Errors: those of reading.
    pub fn replaced(&self, scan: &Scan, source: Arc<SourceColumns>, cancel: &Cancel) -> Result<ReplacedRows> {
        let request = scan.read_request(cancel)?;
        let columns = ComparedColumns::of(self.keys.schema(), &source);
        let files = ordered(&self.files, thread_budget()?, cancel, |file| {
            compared(&request, &columns, &source, file).context("path", &file.task.file_path)
        })?;
        let is_changed = |file: &ReplacedFile| !file.replaced.is_empty() || !file.gone.is_empty();
        Ok(ReplacedRows { files: files.into_iter().filter(is_changed).collect(), source })
    }
}

impl ReplacedRows {
    /// For each data file its path, and the positions of the rows that are replaced or go.
    pub fn positions(&self) -> impl Iterator<Item = (&str, RoaringTreemap)> {
        self.files.iter().map(|file| {
            let mut all = file.gone.clone();
            all.extend(file.replaced.iter().map(|(position, _)| *position));
            (file.task.file_path.as_str(), all)
        })
    }
}

/// The columns that may differ, and how many rows differed in each so far.
struct ComparedColumns {
    columns: Vec<(usize, AtomicU64)>,
}

impl ComparedColumns {
    /// Those of a source but for keys, which are the same; zeros are one key and may differ.
    fn of(keys: &Schema, source: &SourceColumns) -> Self {
        let may_differ = |field: &Field| {
            let is_float =
                matches!(field.field_type, Type::Primitive(PrimitiveType::Float | PrimitiveType::Double));
            is_float || keys.fields().iter().all(|key| key.id != field.id)
        };
        let fields = source.schema().fields().iter().enumerate();
        let columns = fields.filter(|(_, field)| may_differ(field));
        Self { columns: columns.map(|(column, _)| (column, AtomicU64::new(0))).collect() }
    }

    /// Which column is read first? The one in which most rows differed, and at first one whose values are short.
    fn in_turn(&self, source: &SourceColumns) -> Vec<usize> {
        let fields = source.schema().fields();
        let is_long = |column: usize| match &fields[column].field_type {
            Type::Primitive(found) => matches!(found, PrimitiveType::String | PrimitiveType::Binary),
            _ => true,
        };
        let mut turn: Vec<_> = self.columns.iter().collect();
        let order = |(column, count): &&(usize, AtomicU64)| {
            (Reverse(count.load(Ordering::Relaxed)), is_long(*column), *column)
        };
        turn.sort_by_cached_key(order);
        turn.into_iter().map(|(column, _)| *column).collect()
    }

    fn count(&self, column: usize, rows: usize) {
        if let Some((_, count)) = self.columns.iter().find(|(other, _)| *other == column) {
            count.fetch_add(rows as u64, Ordering::Relaxed);
        }
    }
}

/// The rows of a file that differ. One column is read at first, then two, then four.
fn compared(
    request: &ReadRequest,
    columns: &ComparedColumns,
    source: &SourceColumns,
    file: &FoundFile,
) -> Result<ReplacedFile> {
    let task = FileScanTask { residual: Arc::new(BoundExpr::True), deletes: Vec::new(), ..file.task.clone() };
    let pairs = file.positions.iter().zip(file.source_rows.iter().copied());
    let (mut same, gone): (Vec<Pair>, Vec<Pair>) =
        pairs.partition(|(_, row)| (*row as usize) < source.rows());
    let gone = gone.into_iter().map(|(position, _)| position).collect();
    let (mut replaced, mut turn, mut some) = (Vec::new(), columns.in_turn(source), 1);
    while !same.is_empty() && !turn.is_empty() {
        let rest = turn.split_off(some.min(turn.len()));
        let differ = differing(request, &task, source, &turn, &same)?;
        for (column, rows) in turn.iter().zip(&differ.by_column) {
            columns.count(*column, *rows);
        }
        replaced.extend(differ.pairs);
        (same, turn, some) = (differ.same, rest, some * 2);
    }
    replaced.sort_unstable();
    Ok(ReplacedFile { task, replaced, gone })
}

/// What was compared in some columns.
struct Differing {
    pairs: Vec<Pair>,
    same: Vec<Pair>,
    /// How many rows differ in each column.
    by_column: Vec<usize>,
}

/// Compares some columns of rows of a file.
fn differing(
    request: &ReadRequest,
    task: &FileScanTask,
    source: &SourceColumns,
    columns: &[usize],
    pairs: &[Pair],
) -> Result<Differing> {
    let fields = columns.iter().map(|column| source.schema().fields()[*column].clone()).collect();
    let projected = Arc::new(with_position(&Schema::new(source.schema().schema_id(), fields)?)?);
    let reader = Arc::new(TableReader::new(ReadRequest { projected, ..request.clone() }));
    let mut found = Differing { pairs: Vec::new(), same: Vec::new(), by_column: vec![0; columns.len()] };
    let compare = &mut |read: &[ArrayRef], pairs: &[Pair]| {
        let rows: Vec<u32> = pairs.iter().map(|(_, row)| *row).collect();
        let mut differ = BooleanBuffer::new_unset(rows.len());
        for (number, (column, read)) in columns.iter().zip(read).enumerate() {
            let of_source = source.take(*column, &rows)?;
            let of_column = differing_rows(std::slice::from_ref(read), &[of_source], rows.len());
            found.by_column[number] += of_column.count_set_bits();
            differ = &differ | &of_column;
        }
        for (pair, differs) in pairs.iter().zip(&differ) {
            if differs { found.pairs.push(*pair) } else { found.same.push(*pair) }
        }
        Ok(true)
    };
    read_pairs(&reader, task, pairs, source.rows_at_once(), compare)?;
    Ok(found)
}
