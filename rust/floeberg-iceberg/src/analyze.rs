//! Where does the time of a scan go, and what does it read?
//!
//! In: a scan. Out: its plan, and counts and times of planning and of reading all its rows, which are dropped.
//!
//! Invariant: the rows are read as [`Scan::stream`] reads them. Times of threads add up: they may exceed those of the clock.

use std::sync::Arc;
use std::time::{Duration, Instant};

use floeberg_core::{Cancel, Result};
use floeberg_exec::budget::thread_budget;
use floeberg_files::{Counted, ReadCounts, Timed};
use floeberg_io::{Meter, Metered, MeteredStore};

use crate::Scan;
use crate::plan::{Plan, PlanStream, plan};

/// What planning did.
#[derive(Debug, Clone, Copy)]
pub struct PlanningAnalysis {
    /// By the clock.
    pub elapsed: Duration,
    /// What was read of manifests. Manifests that a process has decoded already are not read again.
    pub read: Metered,
}

/// What reading rows did. Its times but the first are those of all threads together.
#[derive(Debug, Clone, Copy)]
pub struct ReadingAnalysis {
    /// By the clock.
    pub elapsed: Duration,
    /// The most threads that read.
    pub threads: usize,
    /// What was read of data files and delete files.
    pub read: Metered,
    /// The time to open data files: footers, indexes and filters of them.
    pub opening: Duration,
    /// The time to load deletes.
    pub deletes: Duration,
    /// The time to fetch, decode and filter rows.
    pub rows: Duration,
    /// Data files that were opened.
    pub files: u64,
    /// Row groups, stripes or blocks of these.
    pub row_groups: u64,
    /// Row groups that were left out.
    pub row_groups_skipped: u64,
    /// Pages of filter columns with a page index, in the row groups that were read.
    pub pages: u64,
    /// Pages that were left out.
    pub pages_skipped: u64,
    /// Batches of the result.
    pub batches: u64,
    /// Rows of the result.
    pub result_rows: u64,
    /// The bytes of the result in memory, as Arrow.
    pub result_bytes: u64,
}

impl Scan {
    /// Reads all rows of the scan, drops them, and says what that took.
    ///
    /// Errors: those of [`plan`](Self::plan) and of [`stream`](Self::stream).
    pub fn analyze(&self, cancel: &Cancel) -> Result<(Arc<Plan>, PlanningAnalysis, ReadingAnalysis)> {
        let meter = Arc::<Meter>::default();
        let started = Instant::now();
        let planned = if let Some(served) = self.served_plan() {
            served
        } else {
            let mut request = self.plan_request(cancel)?;
            request.reader.store = Arc::new(MeteredStore::new(request.reader.store, Arc::clone(&meter)));
            plan(request)?
        };
        let planning = PlanningAnalysis { elapsed: started.elapsed(), read: meter.read_so_far() };
        let planned = Arc::new(planned);
        let reading = self.analyze_reading(&planned, cancel)?;
        Ok((planned, planning, reading))
    }

    fn analyze_reading(&self, plan: &Arc<Plan>, cancel: &Cancel) -> Result<ReadingAnalysis> {
        let (counts, meter) = (Arc::<ReadCounts>::default(), Arc::<Meter>::default());
        let started = Instant::now();
        let request = self.read_request(cancel)?.with_counts(Arc::clone(&counts), Arc::clone(&meter));
        let (mut batches, mut result_rows, mut result_bytes) = (0, 0, 0);
        for batch in self.stream_of(request, PlanStream::planned(Arc::clone(plan)))? {
            let batch = batch?;
            batches += 1;
            result_rows += batch.num_rows() as u64;
            result_bytes += batch.get_array_memory_size() as u64;
        }
        let counted = |counted| counts.counted(counted);
        Ok(ReadingAnalysis {
            elapsed: started.elapsed(),
            threads: thread_budget()?,
            read: meter.read_so_far(),
            opening: counts.time_of(Timed::Opening),
            deletes: counts.time_of(Timed::Deletes),
            rows: counts.time_of(Timed::Reading),
            files: counted(Counted::Files),
            row_groups: counted(Counted::Units),
            row_groups_skipped: counted(Counted::Units).saturating_sub(counted(Counted::UnitsRead)),
            pages: counted(Counted::Pages),
            pages_skipped: counted(Counted::PagesSkipped),
            batches,
            result_rows,
            result_bytes,
        })
    }
}
