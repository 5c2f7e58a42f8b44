//! How are the files of a plan streamed while later manifests are still read?
//!
//! In: a request. Out: batches of files in plan order, then the account; or all at once, a [`Plan`].
//! Spec: Scan Planning; First Row ID Inheritance.
//!
//! Invariant: returned batches are not kept. Numbers of residuals and row ids are those of the whole plan.

use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use arrow_array::{Int32Array, Int64Array, RecordBatch};
use floeberg_core::expr::ColumnStats;
use floeberg_core::{Error, Result};

use super::columns::{column, typed, with_column};
use super::explain::Explain;
use super::plan_job::PlanJob;
use super::planned_blocks::{DroppedFiles, PlannedBlocks};
use super::request::PlanRequest;
use super::tasks::{TaskRow, TaskSource};
use super::{DeleteFile, FileScanTask, Plan};
use crate::manifest::DistinctResiduals;
use floeberg_exec::threads::{Ahead, OrderedStream};

/// Plans a scan.
///
/// Errors: those of the store; `InvalidData` for damaged manifests, naming them; `Unsupported` for encrypted ones;
/// `Cancelled`.
pub fn plan(request: PlanRequest) -> Result<Plan> {
    PlanStream::open(request)?.collect()
}

/// A plan in progress.
///
/// Threads start with the first batch, so a stream may cross a fork before. Dropping it stops them
/// within a manifest.
pub struct PlanStream {
    planned: OrderedStream<PlanJob>,
    residuals: DistinctResiduals,
    deletes: Vec<Arc<DeleteFile>>,
    /// The id of the next row of the current manifest.
    next_row_id: Option<i64>,
    dropped: DroppedFiles,
    totals: Totals,
}

/// Sums over the files of a plan.
#[derive(Debug, Default)]
struct Totals {
    data_files: u64,
    records: u64,
    bytes: u64,
}

/// One batch of a stream: files, and their statistics of the requested column.
type Files = (RecordBatch, Vec<ColumnStats>);

impl PlanStream {
    /// Starts to plan: reads the manifest list and the delete manifests, and no data manifest yet.
    ///
    /// Errors: those of [`plan`].
    pub fn open(request: PlanRequest) -> Result<Self> {
        let ahead = Ahead {
            threads: request.reader.threads,
            memory: request.memory,
            cancel: request.reader.cancel.clone(),
        };
        let (planning, manifests) = PlanJob::begin(request)?;
        let deletes = planning.deletes.index.files();
        let dropped = DroppedFiles::new(planning.request.verbose);
        Ok(Self {
            planned: OrderedStream::new(Arc::new(planning), manifests.into_iter().map(Ok), ahead),
            residuals: DistinctResiduals::default(),
            deletes,
            next_row_id: None,
            dropped,
            totals: Totals::default(),
        })
    }

    /// Stops keeping manifests for later plans of the table, so that memory stays small. It still uses cached manifests.
    #[must_use]
    pub fn without_keeping(self) -> Self {
        self.planned.job().keep_none();
        self
    }

    /// The next batch of files, if there is one within a time; `Ready(None)` is the end.
    pub fn next_timeout(&mut self, timeout: Duration) -> Poll<Option<Result<RecordBatch>>> {
        let files = self.next_until(Instant::now().checked_add(timeout));
        files.map(|files| files.map(|files| files.map(|(batch, _)| batch)))
    }

    /// The whole plan.
    pub fn collect(mut self) -> Result<Plan> {
        let mut chunks = Vec::new();
        let mut statistics = Vec::new();
        while let Poll::Ready(Some(files)) = self.next_until(None) {
            let (chunk, of_column) = files?;
            chunks.push(chunk);
            statistics.extend(of_column);
        }
        let explain = self.explain();
        let planning = self.planned.job();
        let (schema, specs) = (Arc::clone(&planning.schema), Arc::clone(&planning.specs));
        let plan = Plan::new(schema, specs, chunks, self.deletes, self.residuals.into_list(), explain);
        Ok(plan.with_statistics(statistics))
    }

    /// The tasks, in order, each built on demand, while later manifests are still read.
    pub fn into_tasks(self) -> impl Iterator<Item = Result<FileScanTask>> + Send {
        PlanTasks { stream: self, batch: None, row: 0 }
    }

    /// The account so far.
    pub fn explain(&self) -> Explain {
        let planning = self.planned.job();
        Explain {
            data_files: self.totals.data_files,
            records: self.totals.records,
            bytes: self.totals.bytes,
            ..planning.explain(&self.dropped)
        }
    }

    fn next_until(&mut self, until: Option<Instant>) -> Poll<Option<Result<Files>>> {
        loop {
            let planned = match self.planned.next_until(until) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Ready(Some(planned)) => planned,
            };
            match planned.and_then(|blocks| self.number(blocks)) {
                Ok(None) => {}
                Ok(Some(files)) => return Poll::Ready(Some(Ok(files))),
                Err(error) => {
                    self.planned.stop();
                    return Poll::Ready(Some(Err(self.planned.job().request.with_table(error))));
                }
            }
        }
    }

    /// Gives residuals and rows of a block range their numbers in the plan, and counts it.
    fn number(&mut self, blocks: PlannedBlocks) -> Result<Option<Files>> {
        self.dropped.merge(blocks.dropped);
        if blocks.is_first {
            self.next_row_id = blocks.first_row_id;
        }
        let base = self.next_row_id;
        self.next_row_id = base.and_then(|base| base.checked_add(blocks.row_ids));
        let Some(mut files) = blocks.files else { return Ok(None) };
        let numbers = self.residuals.numbers(blocks.residuals);
        if numbers.iter().enumerate().any(|(local, number)| local as i32 != *number) {
            let local = typed::<Int32Array>(files.column(column::RESIDUAL))?.values();
            let residuals: Int32Array = local.iter().map(|local| numbers[*local as usize]).collect();
            files = with_column(files, column::RESIDUAL, Arc::new(residuals))?;
        }
        if let Some(counted_on) = blocks.counted_on {
            let ids = typed::<Int64Array>(files.column(column::FIRST_ROW_ID))?;
            let ids = ids.iter().zip(&counted_on).map(|(id, counts_on)| {
                if !counts_on {
                    return Ok(id);
                }
                let id = id.zip(base).and_then(|(id, base)| id.checked_add(base));
                id.map(Some)
                    .ok_or_else(|| Error::invalid_data("the row ids of a manifest do not fit into 64 bits"))
            });
            let ids: Int64Array = ids.collect::<Result<_>>()?;
            files = with_column(files, column::FIRST_ROW_ID, Arc::new(ids))?;
        }
        self.totals.add(&files)?;
        Ok(Some((files, blocks.statistics)))
    }
}

impl Totals {
    fn add(&mut self, files: &RecordBatch) -> Result<()> {
        let sum = |position: usize, so_far: u64| {
            let values = typed::<Int64Array>(files.column(position))?.values();
            let each = values.iter().map(|value| u64::try_from(*value).unwrap_or(0));
            Ok::<_, Error>(each.fold(so_far, u64::saturating_add))
        };
        self.records = sum(column::RECORD_COUNT, self.records)?;
        self.bytes = sum(column::FILE_SIZE, self.bytes)?;
        self.data_files += files.num_rows() as u64;
        Ok(())
    }
}

impl Iterator for PlanStream {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.next_until(None) {
            Poll::Ready(files) => files.map(|files| files.map(|(batch, _)| batch)),
            Poll::Pending => None,
        }
    }
}

/// The tasks of a plan in progress.
struct PlanTasks {
    stream: PlanStream,
    batch: Option<RecordBatch>,
    row: usize,
}

impl Iterator for PlanTasks {
    type Item = Result<FileScanTask>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.batch.as_ref().filter(|batch| self.row < batch.num_rows()) {
                let source = TaskSource {
                    specs: &self.stream.planned.job().specs,
                    delete_files: &self.stream.deletes,
                    residuals: self.stream.residuals.list(),
                };
                let task = TaskRow::of(source, batch, self.row).and_then(|row| row.task(source));
                self.row += 1;
                return Some(task);
            }
            self.row = 0;
            match self.stream.next()? {
                Ok(batch) => self.batch = Some(batch),
                Err(error) => {
                    self.batch = None;
                    return Some(Err(error));
                }
            }
        }
    }
}
