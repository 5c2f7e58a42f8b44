//! Which rows did earlier attempts of a commit find?
//!
//! In: the rows of data files that match the filter of an operation. Out: the same rows on a newer base, without reading the files
//! again.
//! Spec: Commit Conflict Resolution and Retry; Sequence Numbers.
//!
//! Invariant: rows are known only where the same rows would be found again: data files do not change, the filter and the names of
//! columns mean the same, the base follows the earlier one, and no key was deleted since. Positions that were deleted since are
//! the caller's to leave out.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use floeberg_core::expr::BoundExpr;
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_iceberg::plan::{DeleteKind, FileScanTask};
use floeberg_io::location::canonical;
use floeberg_properties::NAME_MAPPING;
use roaring::RoaringTreemap;

/// The rows that the attempts of a commit found.
#[derive(Debug, Default)]
pub(crate) struct FoundRowsCache(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The head of the branch in the base of this attempt.
    head: Option<i64>,
    /// Did this attempt use rows that were found on an older base?
    is_moved: bool,
    /// By the number of the operation.
    found: HashMap<usize, Found>,
}

/// What an operation found.
#[derive(Debug)]
struct Found {
    meaning: Meaning,
    /// By canonical paths.
    files: HashMap<String, FoundInFile>,
}

/// What decides which rows of a file match.
#[derive(Debug, PartialEq)]
struct Meaning {
    filter: BoundExpr,
    schema_id: i32,
    name_mapping: Option<String>,
}

#[derive(Debug)]
struct FoundInFile {
    rows: RoaringTreemap,
    /// A file that was removed and came again has another one, and other deletes.
    data_sequence_number: i64,
    /// The files of deleted keys, sorted.
    deleted_keys: Vec<String>,
    head: Option<i64>,
}

impl FoundRowsCache {
    /// Begins an attempt. Rows that were found on a base that this one does not follow are forgotten.
    pub fn begin(&self, base: Option<&TableMetadata>, branch: &str) {
        let mut state = self.lock();
        let head = base.and_then(|base| base.branch_head(branch));
        let follows = match (base, state.head, head) {
            (Some(base), Some(earlier), Some(head)) => earlier == head || base.is_ancestor(earlier, head),
            _ => false,
        };
        if !follows {
            state.found.clear();
        }
        state.head = head;
        state.is_moved = false;
    }

    /// Did the attempt use rows that were found on an older base?
    pub fn is_moved(&self) -> bool {
        self.lock().is_moved
    }

    /// Names the filter of an operation. What another filter found is forgotten.
    pub fn prepare(&self, operation: usize, filter: &BoundExpr, metadata: &TableMetadata) {
        let meaning = Meaning {
            filter: filter.clone(),
            schema_id: metadata.current_schema_id,
            name_mapping: metadata.properties.get(NAME_MAPPING).cloned(),
        };
        let mut state = self.lock();
        if state.found.get(&operation).is_none_or(|found| found.meaning != meaning) {
            state.found.insert(operation, Found { meaning, files: HashMap::new() });
        }
    }

    /// The rows of a file that matched; some may be deleted by position by now.
    pub fn of(&self, operation: usize, task: &FileScanTask) -> Option<RoaringTreemap> {
        let mut state = self.lock();
        let known = state.found.get(&operation)?.files.get(canonical(&task.file_path))?;
        let is_same = known.data_sequence_number == task.data_sequence_number
            && known.deleted_keys == deleted_keys(task);
        let (rows, head) = is_same.then(|| (known.rows.clone(), known.head))?;
        state.is_moved |= head != state.head;
        Some(rows)
    }

    /// Remembers the rows of a file that match.
    pub fn found(&self, operation: usize, task: &FileScanTask, rows: &RoaringTreemap) {
        let mut state = self.lock();
        let file = FoundInFile {
            rows: rows.clone(),
            data_sequence_number: task.data_sequence_number,
            deleted_keys: deleted_keys(task),
            head: state.head,
        };
        if let Some(found) = state.found.get_mut(&operation) {
            found.files.insert(canonical(&task.file_path).to_owned(), file);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn deleted_keys(task: &FileScanTask) -> Vec<String> {
    let keys = task.deletes.iter().filter(|delete| matches!(delete.kind, DeleteKind::Equality { .. }));
    let mut paths: Vec<String> = keys.map(|delete| canonical(&delete.file_path).to_owned()).collect();
    paths.sort_unstable();
    paths
}
