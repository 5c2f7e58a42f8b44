//! Which rows of which files came or went between two snapshots?
//!
//! In: plans of two snapshots, without the manifests that both have. Out: files with rows that changed.
//! Spec: Scan Planning; Position Delete Files; Deletion Vectors; Equality Delete Files.
//!
//! Invariant: a row of a file that is in both snapshots came or went only by the deletes that one of them has. Equality
//! deletes are left for the reader: their rows are not known before the file is read.

use std::collections::{HashMap, HashSet, VecDeque};

use floeberg_core::{Cancel, Result};
use floeberg_exec::threads::ordered;
use roaring::RoaringTreemap;

use floeberg_rows::Side;

use super::step::{ChangedFile, ChangedRows};
use crate::plan::{DeleteFile, DeleteKind, FileScanTask, Plan};
use crate::read::{TableReader, deleted_positions};

/// The files with rows that changed.
///
/// Errors: those of reading position deletes and deletion vectors.
pub(super) fn changed_files(
    before: &Plan,
    after: &Plan,
    reader: &TableReader,
    threads: usize,
    cancel: &Cancel,
) -> Result<Vec<ChangedFile>> {
    let DifferingFiles { came, went, in_both } = differing_files(before, after)?;
    let mut changed = Vec::new();
    for (side, plan, numbers) in [(Side::Inserted, after, came), (Side::Deleted, before, went)] {
        for number in numbers {
            changed.push(ChangedFile { side, task: plan.task(number)?, rows: ChangedRows::All });
        }
    }
    let tasks = |(old, new): &(usize, usize)| Ok((before.task(*old)?, after.task(*new)?));
    let in_both = in_both.iter().map(tasks).collect::<Result<Vec<_>>>()?;
    let found = ordered(&in_both, threads, cancel, |(old, new)| changed_in_both(reader, old, new))?;
    changed.extend(found.into_iter().flatten());
    Ok(changed)
}

/// A file that both snapshots have, with the rows that went by other deletes, and with those that came.
///
/// Errors: those of reading position deletes and deletion vectors.
pub(crate) fn changed_in_both(
    reader: &TableReader,
    old: &FileScanTask,
    new: &FileScanTask,
) -> Result<Vec<ChangedFile>> {
    let (was_deleted, is_deleted) = (deleted_positions(reader, old)?, deleted_positions(reader, new)?);
    let went = rows_not_in((old, &was_deleted), (new, &is_deleted));
    let came = rows_not_in((new, &is_deleted), (old, &was_deleted));
    let side = |side, task: &FileScanTask, rows: Option<ChangedRows>| {
        rows.map(|rows| ChangedFile { side, task: task.clone(), rows })
    };
    Ok([side(Side::Deleted, old, went), side(Side::Inserted, new, came)].into_iter().flatten().collect())
}

/// Files of two plans whose rows may differ, by their numbers in the plans.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DifferingFiles {
    /// Files of the second plan alone.
    pub came: Vec<usize>,
    /// Files of the first plan alone.
    pub went: Vec<usize>,
    /// Files of both, with other deletes.
    pub in_both: Vec<(usize, usize)>,
}

/// Compares the files of two plans, and the deletes of each. A file that both have is the same: files of a table never change.
pub(super) fn differing_files(before: &Plan, after: &Plan) -> Result<DifferingFiles> {
    let mut names = Names::default();
    let (old_names, new_names) = (names.of(before), names.of(after));
    let mut old_files: HashMap<&str, VecDeque<(usize, Vec<u32>)>> = HashMap::new();
    for (number, file) in before.files().enumerate() {
        let (path, deletes) = file?;
        old_files.entry(path).or_default().push_back((number, named(&old_names, deletes)));
    }
    let mut found = DifferingFiles::default();
    for (number, file) in after.files().enumerate() {
        let (path, deletes) = file?;
        match old_files.get_mut(path).and_then(VecDeque::pop_front) {
            None => found.came.push(number),
            Some((old, old_deletes)) if old_deletes != named(&new_names, deletes) => {
                found.in_both.push((old, number));
            }
            Some(_) => {}
        }
    }
    found.went = old_files.into_values().flatten().map(|(number, _)| number).collect();
    found.went.sort_unstable();
    Ok(found)
}

/// The rows of a file that are live in one snapshot and not in another. With each task, the positions that it deletes.
fn rows_not_in(
    (task, deleted): (&FileScanTask, &RoaringTreemap),
    (other, deleted_there): (&FileScanTask, &RoaringTreemap),
) -> Option<ChangedRows> {
    let known: HashSet<&str> = equality_deletes(task).map(|delete| delete.file_path.as_str()).collect();
    if equality_deletes(other).any(|delete| !known.contains(delete.file_path.as_str())) {
        return Some(ChangedRows::NotIn(Box::new(other.clone())));
    }
    let mut positions = deleted_there - deleted;
    if let Ok(rows) = u64::try_from(task.record_count) {
        // Deletes may name positions behind the last row, which count for nothing.
        positions.remove_range(rows..);
    }
    (!positions.is_empty()).then_some(ChangedRows::At(positions))
}

fn equality_deletes(task: &FileScanTask) -> impl Iterator<Item = &DeleteFile> {
    let deletes = task.deletes.iter().map(AsRef::as_ref);
    deletes.filter(|delete: &&DeleteFile| matches!(delete.kind, DeleteKind::Equality { .. }))
}

/// Numbers of delete files that are the same in several plans.
#[derive(Default)]
struct Names(HashMap<(String, Option<i64>), u32>);

impl Names {
    /// For each delete file of a plan its number.
    fn of(&mut self, plan: &Plan) -> Vec<u32> {
        let number = |delete: &std::sync::Arc<DeleteFile>| {
            let place = match delete.kind {
                DeleteKind::Vector { content_offset, .. } => Some(content_offset),
                DeleteKind::Position | DeleteKind::Equality { .. } => None,
            };
            let next = self.0.len() as u32;
            *self.0.entry((delete.file_path.clone(), place)).or_insert(next)
        };
        plan.delete_files().iter().map(number).collect()
    }
}

/// The numbers of the deletes of a file, ascending.
fn named(names: &[u32], deletes: &[i32]) -> Vec<u32> {
    let numbers = deletes.iter().filter_map(|number| names.get(*number as usize).copied());
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    numbers
}
