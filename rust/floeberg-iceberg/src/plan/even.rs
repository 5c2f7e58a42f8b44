//! How is a plan cut into few groups of about equal work?
//!
//! In: the files of a plan with where their row groups start, and how many groups are enough. Out: groups in plan order.
//!
//! Invariant: every row group of every file is in exactly one task of exactly one group, and there are no more groups
//! than are needed: small plans give one.

use std::ops::Range;

use super::split::{pieces, weight};
use super::{FileScanTask, SplitOptions, TaskGroup};

/// A task with what it weighs, and the pieces that its file can be cut into; none where it stays whole.
pub(super) struct Weighed {
    task: FileScanTask,
    weight: u64,
    pieces: Vec<Range<u64>>,
}

impl Weighed {
    /// A task of a file with where its row groups start.
    pub(super) fn new(task: FileScanTask, split_offsets: &[i64], options: SplitOptions) -> Self {
        let size = u64::try_from(task.file_size_in_bytes).unwrap_or(0);
        Self {
            weight: weight(size, &task, options),
            pieces: pieces(size, split_offsets, &task, options),
            task,
        }
    }
}

/// Cuts the files, in their order, into so many groups that are about equal: each ends within a row group of its share.
pub(super) fn even_groups(files: Vec<Weighed>, most_groups: u64, options: SplitOptions) -> Vec<TaskGroup> {
    let total: u128 = files.iter().map(|file| u128::from(file.weight)).sum();
    let groups = number_of_groups(total, most_groups, options);
    let mut sharing = Sharing { total: total.max(1), groups, before: 0, last: None, made: Vec::new() };
    for file in files {
        let size = u64::try_from(file.task.file_size_in_bytes).unwrap_or(0);
        // What a file weighs beyond its bytes, its deletes and its opening, comes with its first piece.
        let mut beyond = file.weight.saturating_sub(size);
        let mut open: Option<(u128, Range<u64>)> = None;
        for range in &file.pieces {
            let bytes = range.end.min(size).saturating_sub(range.start);
            let group = sharing.next(bytes.saturating_add(std::mem::take(&mut beyond)));
            match &mut open {
                Some((of, joined)) if *of == group => joined.end = range.end,
                _ => {
                    let full = open.replace((group, range.clone()));
                    sharing.put(&file.task, full);
                }
            }
        }
        match open {
            None => {
                let group = sharing.next(file.weight);
                sharing.put(&file.task, Some((group, 0..u64::MAX)));
            }
            joined => sharing.put(&file.task, joined),
        }
    }
    sharing.made
}

/// Enough groups for the cores, as long as each is worth one; more where they would be too large.
fn number_of_groups(total: u128, most_groups: u64, options: SplitOptions) -> u128 {
    let worth = total.div_ceil(u128::from(options.least_size.max(1)));
    let needed = total.div_ceil(u128::from(options.target_size.max(1)));
    worth.min(u128::from(most_groups)).max(needed).max(1)
}

/// Hands weights, in order, to groups of equal shares.
struct Sharing {
    total: u128,
    groups: u128,
    /// What came before.
    before: u128,
    /// The group that the last task was put into.
    last: Option<u128>,
    made: Vec<TaskGroup>,
}

impl Sharing {
    /// The group of what comes next: the one in whose share its middle is.
    fn next(&mut self, weight: u64) -> u128 {
        let middle = self.before + u128::from(weight) / 2;
        self.before += u128::from(weight);
        (middle * self.groups / self.total).min(self.groups - 1)
    }

    /// Puts a part of a file into its group. Groups without any are not made.
    fn put(&mut self, task: &FileScanTask, part: Option<(u128, Range<u64>)>) {
        let Some((group, range)) = part else { return };
        let byte_range = (range != (0..u64::MAX)).then_some(range);
        let task = FileScanTask { byte_range, ..task.clone() };
        if self.last.replace(group) != Some(group) {
            self.made.push(TaskGroup { tasks: Vec::new() });
        }
        if let Some(group) = self.made.last_mut() {
            group.tasks.push(task);
        }
    }
}
