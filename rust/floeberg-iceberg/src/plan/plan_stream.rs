//! How are the files of a plan streamed while later manifests are still read?
//!
//! In: a request. Out: batches of files in plan order, then the account; or all at once, a [`Plan`].
//! Spec: Scan Planning; First Row ID Inheritance.
//!
//! Invariant: returned batches are not kept. Numbers of residuals and row ids are those of the whole plan.

use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use floeberg_core::Result;

use super::explain::Explain;
use super::numbering::{Files, Numbering};
use super::plan_job::PlanJob;
use super::request::PlanRequest;
use super::tasks::{TaskRow, TaskSource};
use super::{DeleteFile, FileScanTask, Plan};
use crate::manifest::ManifestFile;
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
pub struct PlanStream(Source);

enum Source {
    /// Manifests, which are read meanwhile.
    Manifests(Box<Planning>),
    /// A plan that was made elsewhere, and the number of its next batch.
    Planned(Arc<Plan>, usize),
}

struct Planning {
    planned: OrderedStream<PlanJob>,
    deletes: Vec<Arc<DeleteFile>>,
    numbering: Numbering,
}

impl PlanStream {
    /// Starts to plan: reads the manifest list and the delete manifests, and no data manifest yet.
    ///
    /// Errors: those of [`plan`].
    pub fn open(request: PlanRequest) -> Result<Self> {
        let (planning, manifests) = PlanJob::begin(request)?;
        Ok(Self::of(planning, manifests))
    }

    /// Plans the files of data manifests whose deletes are known.
    pub(super) fn of(planning: PlanJob, manifests: Vec<ManifestFile>) -> Self {
        let request = &planning.request;
        let ahead = Ahead {
            threads: request.reader.threads,
            memory: request.memory,
            cancel: request.reader.cancel.clone(),
        };
        let deletes = planning.deletes.index.files();
        let numbering = Numbering::new(request.verbose);
        let planned = OrderedStream::new(Arc::new(planning), manifests.into_iter().map(Ok), ahead);
        Self(Source::Manifests(Box::new(Planning { planned, deletes, numbering })))
    }

    /// The files of a plan that was made elsewhere.
    pub(crate) fn planned(plan: Arc<Plan>) -> Self {
        Self(Source::Planned(plan, 0))
    }

    /// Stops keeping manifests for later plans of the table, so that memory stays small. It still uses cached manifests.
    #[must_use]
    pub fn without_keeping(self) -> Self {
        if let Source::Manifests(planning) = &self.0 {
            planning.planned.job().keep_none();
        }
        self
    }

    /// The next batch of files, if there is one within a time; `Ready(None)` is the end.
    pub fn next_timeout(&mut self, timeout: Duration) -> Poll<Option<Result<RecordBatch>>> {
        let files = self.next_until(Instant::now().checked_add(timeout));
        files.map(|files| files.map(|files| files.map(|(batch, _)| batch)))
    }

    /// The whole plan.
    pub fn collect(self) -> Result<Plan> {
        let mut planning = match self.0 {
            Source::Manifests(planning) => planning,
            Source::Planned(plan, _) => return Ok(plan.as_ref().clone()),
        };
        let mut chunks = Vec::new();
        let mut statistics = Vec::new();
        while let Poll::Ready(Some(files)) = planning.next_until(None) {
            let (chunk, of_column) = files?;
            chunks.push(chunk);
            statistics.extend(of_column);
        }
        Ok(planning.numbering.plan(planning.planned.job(), chunks).with_statistics(statistics))
    }

    /// The tasks, in order, each built on demand, while later manifests are still read.
    pub fn into_tasks(self) -> impl Iterator<Item = Result<FileScanTask>> + Send {
        PlanTasks { stream: self, batch: None, row: 0 }
    }

    /// The account so far.
    pub fn explain(&self) -> Explain {
        match &self.0 {
            Source::Manifests(planning) => planning.numbering.explain(planning.planned.job()),
            Source::Planned(plan, _) => plan.explain().clone(),
        }
    }

    fn next_until(&mut self, until: Option<Instant>) -> Poll<Option<Result<Files>>> {
        match &mut self.0 {
            Source::Manifests(planning) => planning.next_until(until),
            Source::Planned(plan, next) => {
                let batch = plan.to_arrow().1.get(*next).cloned();
                *next += 1;
                Poll::Ready(batch.map(|batch| Ok((batch, Vec::new()))))
            }
        }
    }

    /// What the numbers in the batches so far stand for.
    fn task_source(&self) -> TaskSource<'_> {
        match &self.0 {
            Source::Manifests(planning) => TaskSource {
                specs: &planning.planned.job().specs,
                delete_files: &planning.deletes,
                residuals: planning.numbering.residuals(),
            },
            Source::Planned(plan, _) => plan.task_source(),
        }
    }
}

impl Planning {
    fn next_until(&mut self, until: Option<Instant>) -> Poll<Option<Result<Files>>> {
        loop {
            let planned = match self.planned.next_until(until) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Ready(Some(planned)) => planned,
            };
            match planned.and_then(|blocks| self.numbering.number(blocks)) {
                Ok(None) => {}
                Ok(Some(files)) => return Poll::Ready(Some(Ok(files))),
                Err(error) => {
                    self.planned.stop();
                    return Poll::Ready(Some(Err(self.planned.job().request.with_table(error))));
                }
            }
        }
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
                let source = self.stream.task_source();
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
