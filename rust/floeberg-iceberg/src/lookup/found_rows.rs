//! Which rows of a snapshot have a key of a source?
//!
//! In: a scan, and the keys. Out: for each data file the positions of the rows, each with a row of the source.
//! Spec: Scan Planning.
//!
//! Invariant: only key columns and positions are read, of files that the range of the keys leaves. Deleted rows are not found.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use floeberg_core::expr::BoundExpr;
use floeberg_core::rows::NO_ROW;
use floeberg_core::schema::reserved::{POS, metadata_column};
use floeberg_core::schema::{Field, Schema};
use floeberg_core::{Cancel, Context as _, Error, Result};
use floeberg_exec::budget::thread_budget;
use floeberg_exec::threads::ordered;
use floeberg_io::location::canonical;
use roaring::{NonSortedIntegers, RoaringTreemap};

use super::source_keys::SourceKeys;
use crate::Scan;
use crate::plan::{FileScanTask, PlanRequest, PlanStream};
use crate::read::{ReadRequest, TableReader, read_task};

/// Positions of rows, by the canonical paths of their data files.
pub type RowsByFile = HashMap<String, RoaringTreemap>;

/// Rows of a data file with a key of the source.
#[derive(Debug, Clone)]
pub struct FoundFile {
    /// The file and its deletes.
    pub task: FileScanTask,
    /// The positions of the rows.
    pub positions: RoaringTreemap,
    /// For each of them, in ascending order, the first row of the source with its key.
    pub source_rows: Vec<u32>,
    /// The positions of the other rows, where all rows are looked at.
    pub others: RoaringTreemap,
}

impl FoundFile {
    /// The rows from a position on, each with its first row of the source.
    pub(super) fn from(&self, position: u64) -> impl Iterator<Item = (u64, u32)> + '_ {
        let before = position.checked_sub(1).map_or(0, |last| self.positions.rank(last));
        let mut positions = self.positions.iter();
        positions.advance_to(position);
        positions.zip(self.source_rows.iter().copied().skip(before as usize))
    }
}

/// The rows of a snapshot with a key of the source.
#[derive(Debug)]
pub struct FoundRows {
    pub(super) files: Vec<FoundFile>,
    pub(super) keys: Arc<SourceKeys>,
    /// Are files without such rows listed too?
    pub(super) lists_all: bool,
}

impl FoundRows {
    /// Looks for them in the snapshot of a scan. `lists_all` keeps files without such rows.
    ///
    /// Errors: those of planning and reading.
    pub fn find(scan: &Scan, keys: Arc<SourceKeys>, lists_all: bool, cancel: &Cancel) -> Result<Self> {
        let filter = if lists_all { BoundExpr::True } else { keys.range() };
        let plan = PlanRequest { filter, ..scan.plan_request(cancel)? };
        let tasks = PlanStream::open(plan)?.into_tasks().collect::<Result<Vec<_>>>()?;
        let projected = with_position(keys.schema())?;
        // A row is found by its key alone: to test it by the range too would take longer.
        let request = ReadRequest { skips_units_only: true, ..scan.read_request(cancel)? };
        let reader = reader(ReadRequest { projected: Arc::new(projected), ..request });
        let files = ordered(&tasks, thread_budget()?, cancel, |task| {
            let found = probe(&reader, &keys, task, lists_all).context("path", &task.file_path)?;
            Ok(Some(found).filter(|found| lists_all || !found.positions.is_empty()))
        })?;
        Ok(Self { files: files.into_iter().flatten().collect(), keys, lists_all })
    }

    /// How many rows there are. A row counts once, also where several rows of the source have its key.
    pub fn rows(&self) -> u64 {
        self.files.iter().map(|file| file.positions.len()).sum()
    }

    /// The positions of all rows that were looked at, by the canonical paths of their data files: rows with a key of the source,
    /// and where all files are listed all other rows.
    pub fn looked_at(&self) -> impl Iterator<Item = (&str, RoaringTreemap)> {
        let files = self.files.iter();
        files.map(|file| (canonical(&file.task.file_path), &file.positions | &file.others))
    }

    /// The rows of the source whose keys no row has, ascending.
    pub fn unmatched(&self) -> Vec<u32> {
        let mut is_matched = vec![false; self.keys.rows()];
        for first in self.files.iter().flat_map(|file| &file.source_rows) {
            let mut row = Some(*first);
            while let Some(at) = row.filter(|row| !is_matched[*row as usize]) {
                is_matched[at as usize] = true;
                row = self.keys.next(at);
            }
        }
        let rows = is_matched.iter().zip(0_u32..);
        rows.filter(|(is_matched, _)| !**is_matched).map(|(_, row)| row).collect()
    }
}

impl SourceKeys {
    /// The first of some data files, by canonical paths, in which a row has a key of the source, besides the rows of `except`. With
    /// `gone_too` also one that is not in the snapshot of the plan.
    ///
    /// Errors: those of planning and reading.
    pub fn find_in(
        &self,
        plan: PlanRequest,
        read: ReadRequest,
        paths: &HashSet<String>,
        gone_too: bool,
        except: &RowsByFile,
    ) -> Result<Option<String>> {
        let (threads, cancel) = (plan.reader.threads, plan.reader.cancel.clone());
        let tasks = PlanStream::open(PlanRequest { filter: BoundExpr::True, ..plan })?.into_tasks();
        let is_wanted = |task: &FileScanTask| paths.contains(canonical(&task.file_path));
        let tasks = tasks
            .filter(|task| task.as_ref().map_or(true, is_wanted))
            .collect::<Result<Vec<FileScanTask>>>()?;
        let live: HashSet<&str> = tasks.iter().map(|task| canonical(&task.file_path)).collect();
        if let Some(gone) = paths.iter().find(|path| gone_too && !live.contains(path.as_str())) {
            return Ok(Some(gone.clone()));
        }
        let reader = reader(ReadRequest { projected: Arc::new(with_position(self.schema())?), ..read });
        let found = ordered(&tasks, threads, &cancel, |task| {
            let path = canonical(&task.file_path);
            let known = except.get(path);
            for batch in read_task(&reader, task)? {
                let batch = batch.context("path", &task.file_path)?;
                let Some((positions, of_keys)) = batch.columns().split_last() else { continue };
                let positions = positions.as_primitive::<Int64Type>().values();
                let found = self.find(of_keys)?;
                let is_other = |(position, row): (&i64, &u32)| {
                    *row != NO_ROW && known.is_none_or(|known| !known.contains(*position as u64))
                };
                if positions.iter().zip(&found).any(is_other) {
                    return Ok(Some(path.to_owned()));
                }
            }
            Ok(None)
        })?;
        Ok(found.into_iter().flatten().next())
    }
}

fn reader(request: ReadRequest) -> Arc<TableReader> {
    Arc::new(TableReader::new(request))
}

/// Some columns, and then the positions under a name that none of them has.
pub(super) fn with_position(keys: &Schema) -> Result<Schema> {
    let position = metadata_column(POS).ok_or_else(|| Error::internal("_pos is a metadata column"))?;
    let mut fields = keys.fields().to_vec();
    fields.push(of_free_name(position, keys));
    Schema::new(keys.schema_id(), fields)
}

/// A metadata column under a name that no column of a schema has. Columns are read by their ids.
pub(crate) fn of_free_name(mut column: Field, schema: &Schema) -> Field {
    while schema.find(&column.name, true).is_ok() {
        column.name.insert(0, '_');
    }
    column
}

fn probe(
    reader: &Arc<TableReader>,
    keys: &SourceKeys,
    task: &FileScanTask,
    has_others: bool,
) -> Result<FoundFile> {
    let (mut positions, mut source_rows) = (RoaringTreemap::new(), Vec::new());
    let mut others = RoaringTreemap::new();
    for batch in read_task(reader, task)? {
        let batch = batch?;
        let Some((of_rows, of_keys)) = batch.columns().split_last() else { continue };
        let of_rows = of_rows.as_primitive::<Int64Type>().values();
        let found = keys.find(of_keys)?;
        let is_found = |(position, row): (&i64, &u32)| (*row != NO_ROW).then_some(*position as u64);
        positions.append(of_rows.iter().zip(&found).filter_map(is_found)).map_err(ascend)?;
        if has_others {
            let is_other = |(position, row): (&i64, &u32)| (*row == NO_ROW).then_some(*position as u64);
            others.append(of_rows.iter().zip(&found).filter_map(is_other)).map_err(ascend)?;
        }
        source_rows.extend(found.into_iter().filter(|row| *row != NO_ROW));
    }
    Ok(FoundFile { task: task.clone(), positions, source_rows, others })
}

fn ascend(error: NonSortedIntegers) -> Error {
    Error::internal("positions ascend").caused_by(error)
}

/// Two are the same only where they are one.
impl PartialEq for FoundRows {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}
