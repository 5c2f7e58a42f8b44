//! How is a plan cut into groups of about equal work?
//!
//! In: a plan and a target in bytes. Out: groups of tasks: large files cut where row groups start, small ones packed
//! together.
//!
//! Invariant: every row group of every file is in exactly one task of exactly one group.

use std::collections::VecDeque;
use std::ops::Range;

use floeberg_core::{Error, Result};

use super::even::{Weighed, even_groups};
use super::{DeleteKind, FileFormat, FileScanTask, Plan, tasks};

/// A file is cut into at most so many pieces where its row groups are not known: its size is a number in a manifest and
/// may be anything.
const MOST_PIECES: u64 = 1 << 16;

/// How a plan is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitOptions {
    /// Bytes a group should have. Spark's `split-size`, 128 MiB.
    pub target_size: u64,
    /// What opening a file costs, in bytes read meanwhile: 4 MiB.
    pub open_file_cost: u64,
    /// How many groups are kept open while packing: 10.
    pub lookback: usize,
    /// How many groups are enough for all workers: the plan is cut evenly, into more only where groups would pass the
    /// target. `None` packs groups of the target's size.
    pub most_groups: Option<u64>,
    /// Bytes that are worth a group of their own when the plan is cut evenly: 16 MiB.
    pub least_size: u64,
}

impl Default for SplitOptions {
    fn default() -> Self {
        Self {
            target_size: 128 << 20,
            open_file_cost: 4 << 20,
            lookback: 10,
            most_groups: None,
            least_size: 16 << 20,
        }
    }
}

/// Tasks that one worker reads.
#[derive(Debug, Clone)]
pub struct TaskGroup {
    /// The tasks, in plan order.
    pub tasks: Vec<FileScanTask>,
}

impl Plan {
    /// Cuts the plan into groups.
    ///
    /// Errors: `InvalidInput` for a target or lookback of 0.
    pub fn split(&self, options: SplitOptions) -> Result<Vec<TaskGroup>> {
        if options.target_size == 0 || options.lookback == 0 {
            return Err(Error::invalid_input("target_size and lookback must be at least 1"));
        }
        if let Some(most) = options.most_groups {
            let files = (0..self.len()).map(|number| {
                let (chunk, row) = self.position(number)?;
                let offsets = tasks::split_offsets(chunk, row)?;
                Ok(Weighed::new(tasks::task(self.task_source(), chunk, row)?, &offsets, options))
            });
            return Ok(even_groups(files.collect::<Result<_>>()?, most, options));
        }
        let mut packing = Packing::new(options);
        for number in 0..self.len() {
            let (chunk, row) = self.position(number)?;
            let task = tasks::task(self.task_source(), chunk, row)?;
            let size = u64::try_from(task.file_size_in_bytes).unwrap_or(0);
            let ranges = if is_cut(&task) {
                cut(size, &tasks::split_offsets(chunk, row)?, options.target_size)
            } else {
                Vec::new()
            };
            if ranges.len() < 2 {
                packing.add(size, task);
                continue;
            }
            for range in ranges {
                let bytes = range.end.min(size).saturating_sub(range.start);
                packing.add(bytes, FileScanTask { byte_range: Some(range), ..task.clone() });
            }
        }
        Ok(packing.finish())
    }
}

/// Can a file be read in parts?
fn is_cut(task: &FileScanTask) -> bool {
    matches!(task.file_format, FileFormat::Parquet | FileFormat::Orc)
}

/// The smallest parts in which a file is read: its row groups, or pieces that are worth opening it where those are not
/// known.
pub(super) fn pieces(
    size: u64,
    split_offsets: &[i64],
    task: &FileScanTask,
    options: SplitOptions,
) -> Vec<Range<u64>> {
    if !is_cut(task) {
        return Vec::new();
    }
    let target = match row_group_starts(size, split_offsets) {
        Some(_) => 0,
        None => options.target_size.min(options.least_size.max(options.open_file_cost)),
    };
    cut(size, split_offsets, target)
}

/// What reading a part of a file costs, in bytes.
pub(super) fn weight(bytes: u64, task: &FileScanTask, options: SplitOptions) -> u64 {
    let delete_bytes = task.deletes.iter().map(|delete| match delete.kind {
        DeleteKind::Vector { content_size_in_bytes, .. } => content_size_in_bytes,
        DeleteKind::Position | DeleteKind::Equality { .. } => delete.file_size_in_bytes,
    });
    let delete_bytes =
        delete_bytes.map(|bytes| u64::try_from(bytes).unwrap_or(0)).fold(0, u64::saturating_add);
    let opens = options.open_file_cost.saturating_mul(1 + task.deletes.len() as u64);
    bytes.saturating_add(delete_bytes).max(opens)
}

/// Where row groups start, if what a manifest says of it makes sense.
fn row_group_starts(size: u64, split_offsets: &[i64]) -> Option<Vec<u64>> {
    let offsets: Vec<u64> = split_offsets.iter().filter_map(|offset| u64::try_from(*offset).ok()).collect();
    let usable =
        offsets.windows(2).all(|pair| pair[0] < pair[1]) && offsets.last().is_some_and(|last| *last < size);
    usable.then_some(offsets)
}

/// Cuts a file where row groups start, or evenly where that is not known, into pieces of about `target` bytes.
///
/// The first piece starts at 0 and the last has no end, so that wrong sizes and offsets lose nothing.
pub(super) fn cut(size: u64, split_offsets: &[i64], target: u64) -> Vec<Range<u64>> {
    if size <= target {
        return Vec::new();
    }
    let starts = row_group_starts(size, split_offsets).unwrap_or_else(|| {
        let piece = target.max(size.div_ceil(MOST_PIECES));
        (0..size.div_ceil(piece)).map(|number| number * piece).collect()
    });
    let mut ranges = Vec::new();
    let mut start = 0;
    for (position, next) in starts.iter().enumerate().skip(1) {
        let end = starts.get(position + 1).copied().unwrap_or(size);
        if end - start > target && *next > start {
            ranges.push(start..*next);
            start = *next;
        }
    }
    ranges.push(start..u64::MAX);
    ranges
}

/// First-fit packing over a few open groups; the fullest is closed when there are too many.
struct Packing {
    options: SplitOptions,
    open: VecDeque<(u64, Vec<FileScanTask>)>,
    closed: Vec<TaskGroup>,
}

impl Packing {
    fn new(options: SplitOptions) -> Self {
        Self { options, open: VecDeque::new(), closed: Vec::new() }
    }

    fn add(&mut self, bytes: u64, task: FileScanTask) {
        let weight = weight(bytes, &task, self.options);
        let target = self.options.target_size;
        let fits = self.open.iter_mut().find(|(filled, _)| filled.saturating_add(weight) <= target);
        if let Some((filled, tasks)) = fits {
            *filled += weight;
            tasks.push(task);
            return;
        }
        self.open.push_back((weight, vec![task]));
        if self.open.len() > self.options.lookback {
            let fullest = (0..self.open.len())
                .max_by_key(|position| (self.open[*position].0, std::cmp::Reverse(*position)));
            if let Some((_, tasks)) = fullest.and_then(|position| self.open.remove(position)) {
                self.closed.push(TaskGroup { tasks });
            }
        }
    }

    fn finish(mut self) -> Vec<TaskGroup> {
        self.closed.extend(self.open.into_iter().map(|(_, tasks)| TaskGroup { tasks }));
        self.closed
    }
}
