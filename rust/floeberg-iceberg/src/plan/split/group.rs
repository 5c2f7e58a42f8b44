//! Which part of a plan does one worker read?
//!
//! Invariant: a group stores no tasks: they are built on demand.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::Int64Array;
use floeberg_core::expr::BoundExpr;
use floeberg_core::{Error, Result};

use crate::plan::columns::{column, typed};
use crate::plan::tasks::{TaskRow, delete_numbers};
use crate::plan::{DeleteFile, FileScanTask, Plan};

/// A file of a plan, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// The file's number in the plan.
    pub file: usize,
    /// The row groups whose first byte is in this range.
    pub range: Range<u64>,
}

impl Part {
    /// The row groups of a file whose first byte is in a range.
    pub fn new(file: usize, range: Range<u64>) -> Self {
        Self { file, range }
    }

    /// Appends a part, merged with the last one if it continues it.
    pub fn join(parts: &mut Vec<Self>, part: Self) {
        match parts.last_mut() {
            Some(last) if last.file == part.file && last.range.end == part.range.start => {
                last.range.end = part.range.end;
            }
            _ => parts.push(part),
        }
    }

    /// The range; `None` is the whole file.
    pub fn byte_range(&self) -> Option<Range<u64>> {
        (self.range != (0..u64::MAX)).then(|| self.range.clone())
    }
}

/// Tasks that one worker reads: parts of files of a plan.
#[derive(Debug, Clone)]
pub struct TaskGroup {
    plan: Arc<Plan>,
    parts: Arc<[Part]>,
}

impl TaskGroup {
    pub(super) fn new(plan: Arc<Plan>, parts: Vec<Part>) -> Self {
        Self { plan, parts: parts.into() }
    }

    /// How many tasks.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// A delete file of the plan by its number.
    pub(crate) fn delete_file(&self, number: i32) -> Result<&Arc<DeleteFile>> {
        self.plan.task_source().delete_file(number)
    }

    /// A task by its number in the group. Errors: `InvalidInput` past the end.
    pub fn task(&self, number: usize) -> Result<FileScanTask> {
        let part = self.parts.get(number).ok_or_else(|| {
            Error::invalid_input(format!(
                "task {number} is out of range: the group has {} tasks",
                self.parts.len()
            ))
        })?;
        Ok(FileScanTask { byte_range: part.byte_range(), ..self.plan.task(part.file)? })
    }

    /// The tasks in order, each built on demand.
    pub fn tasks(&self) -> impl Iterator<Item = Result<FileScanTask>> + '_ {
        (0..self.len()).map(|number| self.task(number))
    }

    /// Did a server make the plan?
    pub(crate) fn is_served(&self) -> bool {
        self.plan.is_served()
    }

    /// The residual of a task, where a server gave it.
    pub(crate) fn served_residual(&self, row: &TaskRow<'_>) -> Option<&BoundExpr> {
        self.plan.served_residual(row).map(AsRef::as_ref)
    }

    /// The rows of the plan for the tasks, with the range of each.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Result<(TaskRow<'_>, Option<Range<u64>>)>> {
        self.parts.iter().map(|part| {
            let (chunk, row) = self.plan.position(part.file)?;
            Ok((TaskRow::of(self.plan.task_source(), chunk, row)?, part.byte_range()))
        })
    }

    /// The numbers of the delete files that apply to each task.
    pub(crate) fn delete_numbers(&self) -> impl Iterator<Item = Result<&[i32]>> {
        self.parts.iter().map(|part| {
            let (chunk, row) = self.plan.position(part.file)?;
            delete_numbers(chunk, row)
        })
    }

    /// What the tasks read at most.
    pub fn extent(&self) -> Result<Extent> {
        let mut sum = Extent::default();
        for part in &*self.parts {
            let (chunk, row) = self.plan.position(part.file)?;
            let long =
                |position: usize| typed::<Int64Array>(chunk.column(position)).map(|values| values.value(row));
            sum.add(long(column::FILE_SIZE)?, long(column::RECORD_COUNT)?, &part.range);
        }
        Ok(sum)
    }
}

/// The most that tasks read, by the sizes that the writers of their files recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// Bytes of data files.
    pub bytes: u64,
    /// Rows, deleted ones included. For a part of a file they are estimated by its bytes.
    pub records: u64,
}

impl Extent {
    /// What tasks read at most.
    pub(crate) fn of(tasks: &[FileScanTask]) -> Self {
        let mut sum = Self::default();
        for task in tasks {
            let range = task.byte_range.clone().unwrap_or(0..u64::MAX);
            sum.add(task.file_size_in_bytes, task.record_count, &range);
        }
        sum
    }

    /// Adds a part of a file, with its bytes and rows. The parts of a file together have its bytes and rows.
    pub(super) fn add(&mut self, size: i64, records: i64, range: &Range<u64>) {
        let (size, records) = (u64::try_from(size).unwrap_or(0), u64::try_from(records).unwrap_or(0));
        let (start, end) = (range.start.min(size), range.end.min(size));
        let before = |byte: u64| match (u128::from(records) * u128::from(byte)).checked_div(u128::from(size))
        {
            Some(rows) => rows as u64,
            None => 0,
        };
        let is_last = range.end >= size;
        let rows = if is_last { records } else { before(end) };
        self.bytes = self.bytes.saturating_add(end.saturating_sub(start));
        self.records = self.records.saturating_add(rows.saturating_sub(before(start)));
    }
}
