//! What is a plan?
//!
//! A plan is columns: tasks are built only when it is iterated.

use std::sync::Arc;

use arrow_array::{BooleanArray, RecordBatch, StringArray};
use arrow_schema::SchemaRef;
use arrow_select::filter::filter_record_batch;
use floeberg_core::expr::{BoundExpr, ColumnStats};
use floeberg_core::{Error, Result};

use super::columns::{column, typed};
use super::tasks::{TaskRow, TaskSource, delete_numbers};
use super::{DeleteFile, Explain, FileScanTask};
use crate::manifest::Specs;

/// The files of a scan, with their deletes and residuals.
#[derive(Debug, Clone)]
pub struct Plan {
    schema: SchemaRef,
    specs: Arc<Specs>,
    chunks: Vec<RecordBatch>,
    /// Where each chunk starts.
    starts: Vec<usize>,
    len: usize,
    deletes: Vec<Arc<DeleteFile>>,
    residuals: Vec<Arc<BoundExpr>>,
    /// Statistics of the requested column, file by file; empty without one.
    statistics: Vec<ColumnStats>,
    explain: Explain,
    /// Did a server make the plan? Then its residuals cannot be computed from the filter again.
    is_served: bool,
}

impl Plan {
    pub(crate) fn new(
        schema: SchemaRef,
        specs: Arc<Specs>,
        chunks: Vec<RecordBatch>,
        deletes: Vec<Arc<DeleteFile>>,
        residuals: Vec<Arc<BoundExpr>>,
        explain: Explain,
    ) -> Self {
        let mut len = 0;
        let mut starts = Vec::with_capacity(chunks.len());
        for chunk in &chunks {
            starts.push(len);
            len += chunk.num_rows();
        }
        let statistics = Vec::new();
        let is_served = false;
        Self { schema, specs, chunks, starts, len, deletes, residuals, statistics, explain, is_served }
    }

    /// With statistics of one column, file by file.
    pub(crate) fn with_statistics(self, statistics: Vec<ColumnStats>) -> Self {
        Self { statistics, ..self }
    }

    /// Did a server make the plan?
    pub(crate) fn is_served(&self) -> bool {
        self.is_served
    }

    /// The same plan, of a server.
    pub(crate) fn served(self) -> Self {
        Self { is_served: true, ..self }
    }

    /// The statistics of the requested column, for a file by its number.
    pub(crate) fn statistics(&self, number: usize) -> Option<&ColumnStats> {
        self.statistics.get(number)
    }

    /// A plan of some of its files, by their numbers, in the order of the plan.
    ///
    /// Errors: `InvalidInput` for a number past the end.
    pub fn only(&self, numbers: &[usize]) -> Result<Self> {
        let mut keep = vec![false; self.len];
        for number in numbers {
            let place = keep.get_mut(*number).ok_or_else(|| self.past_end(*number))?;
            *place = true;
        }
        let mut chunks = Vec::with_capacity(self.chunks.len());
        for (chunk, start) in self.chunks.iter().zip(&self.starts) {
            let mask = BooleanArray::from(keep[*start..*start + chunk.num_rows()].to_vec());
            let kept = filter_record_batch(chunk, &mask)
                .map_err(|failure| Error::internal("files of a plan cannot be chosen").caused_by(failure))?;
            chunks.push(kept);
        }
        let kept = keep.iter().zip(&self.statistics).filter(|(keep, _)| **keep);
        let statistics = kept.map(|(_, statistics)| statistics.clone()).collect();
        let (schema, specs) = (Arc::clone(&self.schema), Arc::clone(&self.specs));
        let (deletes, residuals) = (self.deletes.clone(), self.residuals.clone());
        let plan = Self::new(schema, specs, chunks, deletes, residuals, self.explain.clone());
        Ok(Self { is_served: self.is_served, ..plan.with_statistics(statistics) })
    }

    /// How many data files.
    pub fn len(&self) -> usize {
        self.len
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The columns, with one row per data file.
    ///
    /// `file_path` as written, `location` after relocation, `file_format`, `spec_id`, `partition` (a struct over all
    /// specs), `record_count`, `file_size_in_bytes` (bytes), `data_sequence_number`, `first_row_id`, `split_offsets`
    /// (bytes), `delete_files` (numbers into [`Plan::delete_files`]), `residual` (a number into [`Plan::residuals`]).
    pub fn to_arrow(&self) -> (SchemaRef, &[RecordBatch]) {
        (Arc::clone(&self.schema), &self.chunks)
    }

    /// All delete files that may apply to a file of the snapshot's kept partitions.
    pub fn delete_files(&self) -> &[Arc<DeleteFile>] {
        &self.deletes
    }

    /// The different residuals.
    pub fn residuals(&self) -> &[Arc<BoundExpr>] {
        &self.residuals
    }

    /// What planning looked at and dropped.
    pub fn explain(&self) -> &Explain {
        &self.explain
    }

    /// The task of a data file by its number. Errors: `InvalidInput` past the end.
    pub fn task(&self, number: usize) -> Result<FileScanTask> {
        let (chunk, row) = self.position(number)?;
        let source = self.task_source();
        TaskRow::of(source, chunk, row)?.task(source)
    }

    /// The tasks, in order, each built on demand.
    pub fn tasks(&self) -> impl Iterator<Item = Result<FileScanTask>> + '_ {
        (0..self.len).map(|number| self.task(number))
    }

    /// The path of each data file, as written, and the numbers of its deletes.
    pub(crate) fn files(&self) -> impl Iterator<Item = Result<(&str, &[i32])>> + '_ {
        self.chunks.iter().flat_map(|chunk| {
            (0..chunk.num_rows()).map(move |row| {
                let paths = typed::<StringArray>(chunk.column(column::FILE_PATH))?;
                Ok((paths.value(row), delete_numbers(chunk, row)?))
            })
        })
    }

    /// The residual of a task, where a server gave it.
    pub(crate) fn served_residual(&self, row: &TaskRow<'_>) -> Option<&Arc<BoundExpr>> {
        self.residuals.get(row.residual as usize).filter(|_| self.is_served)
    }

    pub(crate) fn position(&self, number: usize) -> Result<(&RecordBatch, usize)> {
        let past_end = || self.past_end(number);
        let chunk = self.starts.partition_point(|start| *start <= number).checked_sub(1);
        let chunk = chunk.filter(|_| number < self.len).ok_or_else(past_end)?;
        Ok((&self.chunks[chunk], number - self.starts[chunk]))
    }

    fn past_end(&self, number: usize) -> Error {
        Error::invalid_input(format!("file {number} is out of range: the plan has {} files", self.len))
    }

    /// What the numbers in the columns stand for.
    pub(crate) fn task_source(&self) -> TaskSource<'_> {
        TaskSource { specs: &self.specs, delete_files: &self.deletes, residuals: &self.residuals }
    }
}
