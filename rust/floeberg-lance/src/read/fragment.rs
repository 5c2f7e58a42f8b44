//! Which rows does a fragment give?
//!
//! In: rows of a fragment, and batches of its data files, decoded elsewhere. Out: batches of the table.
//!
//! Invariant: batches of all files are of the same rows, in the order of the fragment, and none is left out: a batch too few or too
//! many is an error.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, UInt64Array};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{ArrowError, Field as ArrowField, Fields, Schema as ArrowSchema};
use arrow_select::filter::FilterBuilder;
use floeberg_core::expr::evaluate_rows;
use floeberg_core::schema::arrow::FIELD_ID_KEY;
use floeberg_core::{Context as _, Error, Result};
use roaring::RoaringBitmap;

use super::assemble::{Fielded, Part, column};
use super::file_columns::{FieldIds, FileColumns};
use super::open::open;
use super::request::{Columns, Filter, ReadRequest};
use super::row_columns::RowColumn;
use crate::row_ids::{RowIds, RowVersions};

/// Rows of a fragment, deleted ones included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rows {
    /// All of a range.
    Range(Range<u64>),
    /// Some, ascending.
    Some(Vec<u64>),
}

/// A data file of a fragment, of which columns are read.
#[derive(Debug)]
pub struct FragmentFile {
    /// Where it is.
    pub location: String,
    /// The columns, as they are asked for. There is at least one.
    pub paths: Vec<String>,
    columns: FileColumns,
}

/// Rows of a fragment that are being read.
#[derive(Debug)]
pub struct FragmentRows {
    request: Arc<ReadRequest>,
    fragment_id: u64,
    files: Vec<FragmentFile>,
    rows: Rows,
    /// How many were given.
    given: u64,
    deleted: RoaringBitmap,
    ids: Option<RowIds>,
    created: Option<RowVersions>,
    updated: Option<RowVersions>,
}

impl Rows {
    /// How many.
    pub fn len(&self) -> u64 {
        match self {
            Self::Range(range) => range.end.saturating_sub(range.start),
            Self::Some(rows) => rows.len() as u64,
        }
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn part(&self, from: u64, count: u64) -> Self {
        match self {
            Self::Range(range) => Self::Range(range.start + from..range.start + from + count),
            Self::Some(rows) => Self::Some(rows[from as usize..(from + count) as usize].to_vec()),
        }
    }

    /// Some of them.
    fn chosen(&self, kept: &BooleanBuffer) -> Self {
        Self::Some(match self {
            Self::Range(range) => kept.set_indices().map(|at| range.start + at as u64).collect(),
            Self::Some(rows) => kept.set_indices().map(|at| rows[at]).collect(),
        })
    }

    fn values(
        &self,
        range: impl Fn(Range<u64>) -> Vec<u64>,
        one: impl Fn(u64) -> Option<u64>,
    ) -> UInt64Array {
        match self {
            Self::Range(rows) => UInt64Array::from(range(rows.clone())),
            Self::Some(rows) => rows.iter().map(|row| one(*row)).collect(),
        }
    }
}

impl FragmentRows {
    /// Begins to read rows of a fragment, by its place in the manifest.
    ///
    /// Errors: `InvalidData`, naming the file, for data files that are not what the manifest says, for damaged deletion files and row
    /// ids; `Unsupported` for what cannot be read; those of the store.
    pub fn open(request: &Arc<ReadRequest>, place: usize, rows: Rows) -> Result<Self> {
        request.check_readable()?;
        let table = request.table();
        let task = request.plan().task(place)?;
        let within = match &rows {
            Rows::Range(range) => range.end <= task.physical_rows,
            Rows::Some(rows) => rows.last().is_none_or(|last| *last < task.physical_rows),
        };
        if !within {
            return Err(Error::invalid_input(format!(
                "expected rows of a fragment of {} rows, found others",
                task.physical_rows
            ))
            .with("fragment", task.fragment_id));
        }
        table.check_row_ids(place)?;
        let field_ids = FieldIds::new(table.schema());
        let mut files = Vec::new();
        for file in &task.files {
            // What no layout names is not opened.
            let is_wanted = |id: &i32| field_ids.has_any(*id, request.wanted());
            if !file.layout.fields.iter().any(is_wanted) && !file.layout.is_legacy() {
                continue;
            }
            let columns = open(table.store().as_ref(), file, task.physical_rows, &field_ids)?;
            let paths = columns.paths(request.wanted());
            if !paths.is_empty() {
                files.push(FragmentFile { location: file.location.clone(), paths, columns });
            }
        }
        let is_stable = table.has_stable_row_ids();
        let ids = is_stable && request.reads(RowColumn::Id);
        let versions = |column| request.reads(column);
        Ok(Self {
            fragment_id: task.fragment_id,
            files,
            rows,
            given: 0,
            deleted: table.deleted_rows(place)?,
            ids: if ids { table.row_ids(place)? } else { None },
            created: if versions(RowColumn::CreatedAtVersion) {
                table.created_at_versions(place)?
            } else {
                None
            },
            updated: if versions(RowColumn::LastUpdatedAtVersion) {
                table.last_updated_at_versions(place)?
            } else {
                None
            },
            request: Arc::clone(request),
        })
    }

    /// The data files whose batches are wanted, in this order.
    pub fn files(&self) -> &[FragmentFile] {
        &self.files
    }

    /// The rows.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// How many rows are to be read still.
    pub fn left(&self) -> u64 {
        self.rows.len() - self.given
    }

    /// The next rows, at most this many, of batches of all files in their order. Deleted rows, and those that do not match, are left out.
    ///
    /// Errors: `InvalidData`, naming the fragment, for batches of other rows or types.
    pub fn batch(&mut self, batches: &[RecordBatch], count: usize) -> Result<RecordBatch> {
        let batch = self.next(batches, count);
        batch.context("fragment", self.fragment_id).context("path", self.request.table().manifest_location())
    }

    fn next(&mut self, batches: &[RecordBatch], count: usize) -> Result<RecordBatch> {
        let is_wrong = batches.len() != self.files.len()
            || batches.iter().any(|batch| batch.num_rows() != count)
            || count as u64 > self.left();
        if is_wrong {
            return Err(Error::invalid_data(format!(
                "expected {count} of {} rows from each of {} data files, found others",
                self.left(),
                self.files.len()
            )));
        }
        let rows = self.rows.part(self.given, count as u64);
        self.given += count as u64;
        let parts: Vec<_> = self
            .files
            .iter()
            .zip(batches)
            .map(|(file, batch)| Part { columns: &file.columns, batch })
            .collect();
        let mut kept = self.live(&rows);
        if let Some(filter) = self.request.filter()
            && kept.as_ref().is_none_or(|kept| kept.count_set_bits() > 0)
        {
            let matching = self.matching(filter, &parts, &rows, count, kept.as_ref())?;
            kept = Some(match kept {
                Some(kept) => &kept & matching.values(),
                None => matching.values().clone(),
            });
        }
        let found = kept.as_ref().map_or(count, BooleanBuffer::count_set_bits);
        if found == 0 {
            return Ok(RecordBatch::new_empty(Arc::clone(self.request.schema())));
        }
        let output = self.request.output();
        match kept.filter(|_| found < count) {
            None => self.columns(output, &parts, &rows, count, Fielded::AsTable),
            Some(kept) => self.kept_columns(output, &parts, &rows, kept),
        }
    }

    /// The columns of some of the rows. Addresses are made for them alone.
    fn kept_columns(
        &self,
        columns: &Columns,
        parts: &[Part<'_>],
        rows: &Rows,
        kept: BooleanBuffer,
    ) -> Result<RecordBatch> {
        let (count, chosen) = (kept.len(), rows.chosen(&kept));
        let filter = FilterBuilder::new(&BooleanArray::new(kept, None)).optimize().build();
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(columns.fields.len() + columns.of_rows.len());
        for field in &columns.fields {
            let (_, array) = column(field, parts, count, Fielded::AsTable)?;
            arrays.push(filter.filter(&array).map_err(|error| failed(&error))?);
        }
        for of_rows in &columns.of_rows {
            let is_address = matches!(of_rows, RowColumn::Address);
            let array: ArrayRef = if is_address {
                Arc::new(self.row_column(*of_rows, &chosen))
            } else {
                // A single one is searched for from the start.
                filter.filter(&self.row_column(*of_rows, rows)).map_err(|error| failed(&error))?
            };
            arrays.push(array);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(filter.count()));
        RecordBatch::try_new_with_options(Arc::clone(self.request.schema()), arrays, &options)
            .map_err(|error| failed(&error))
    }

    /// Which rows are not deleted; `None` where none is.
    fn live(&self, rows: &Rows) -> Option<BooleanBuffer> {
        if self.deleted.is_empty() {
            return None;
        }
        let is_live = |row: u64| u32::try_from(row).is_ok_and(|row| !self.deleted.contains(row));
        match rows {
            Rows::Range(range) => {
                let whole = range.start as u32..range.end as u32;
                if self.deleted.range_cardinality(whole.clone()) == 0 {
                    return None;
                }
                let mut live = vec![true; (range.end - range.start) as usize];
                self.deleted
                    .range(whole)
                    .for_each(|row| live[(u64::from(row) - range.start) as usize] = false);
                Some(BooleanBuffer::from(live))
            }
            Rows::Some(rows) => Some(BooleanBuffer::collect_bool(rows.len(), |at| is_live(rows[at]))),
        }
    }

    fn matching(
        &self,
        filter: &Filter,
        parts: &[Part<'_>],
        rows: &Rows,
        count: usize,
        live: Option<&BooleanBuffer>,
    ) -> Result<BooleanArray> {
        let tested = self.columns(&filter.columns, parts, rows, count, Fielded::ById)?;
        evaluate_rows(&filter.expr, &tested, live)
    }

    fn columns(
        &self,
        columns: &Columns,
        parts: &[Part<'_>],
        rows: &Rows,
        count: usize,
        fielded: Fielded,
    ) -> Result<RecordBatch> {
        let mut fields = Vec::with_capacity(columns.fields.len() + columns.of_rows.len());
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(fields.capacity());
        for field in &columns.fields {
            let (made, array) = column(field, parts, count, fielded)?;
            fields.push(made);
            arrays.push(array);
        }
        for of_rows in &columns.of_rows {
            let mut field: ArrowField = of_rows.to_arrow();
            if fielded == Fielded::ById {
                field = field.with_metadata([(FIELD_ID_KEY.to_owned(), of_rows.id().to_string())]);
            }
            fields.push(Arc::new(field));
            arrays.push(Arc::new(self.row_column(*of_rows, rows)));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        let schema = match fielded {
            Fielded::AsTable => Arc::clone(self.request.schema()),
            Fielded::ById => Arc::new(ArrowSchema::new(Fields::from(fields))),
        };
        RecordBatch::try_new_with_options(schema, arrays, &options).map_err(|error| failed(&error))
    }

    fn row_column(&self, which: RowColumn, rows: &Rows) -> UInt64Array {
        let address = |row: u64| self.fragment_id << 32 | row;
        let addresses = || rows.values(|range| range.map(address).collect(), |row| Some(address(row)));
        let versions = |versions: &Option<RowVersions>| match versions {
            Some(versions) => rows.values(|range| versions.slice(range), |row| versions.get(row)),
            None => UInt64Array::new_null(rows.len() as usize),
        };
        match which {
            RowColumn::Id => match &self.ids {
                Some(ids) => rows.values(|range| ids.slice(range), |row| ids.get(row)),
                None => addresses(),
            },
            RowColumn::Address => addresses(),
            RowColumn::CreatedAtVersion => versions(&self.created),
            RowColumn::LastUpdatedAtVersion => versions(&self.updated),
        }
    }
}

fn failed(error: &ArrowError) -> Error {
    Error::invalid_data(format!("the columns of a fragment do not fit the table's: {error}"))
}
