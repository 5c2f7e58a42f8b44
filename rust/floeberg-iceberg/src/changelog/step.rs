//! What are the changes of a snapshot, before their rows are read?

use std::sync::Arc;

use floeberg_rows::Side;
use roaring::RoaringTreemap;

use crate::plan::FileScanTask;
use crate::read::TableReader;

/// Which live rows of a file changed.
#[derive(Debug, Clone)]
pub(crate) enum ChangedRows {
    /// All of them.
    All,
    /// Those at these positions, some of which equality deletes may have deleted before.
    At(RoaringTreemap),
    /// Those that are not live in another snapshot, of which this is the task.
    NotIn(Box<FileScanTask>),
}

/// A data file with rows that changed.
#[derive(Debug, Clone)]
pub(crate) struct ChangedFile {
    /// Did they come or go?
    pub side: Side,
    /// The file, with its deletes in the snapshot that has the rows.
    pub task: FileScanTask,
    /// The rows.
    pub rows: ChangedRows,
}

/// How rows of a snapshot that were only copied to other files are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Matching {
    /// There are none: rows only came, or only went.
    Nothing,
    /// By their row ids.
    Lineage,
    /// By the values of all columns.
    Values,
}

/// What reads the files of the two snapshots of a step.
///
/// A reader shares the keys of equality deletes between its tasks, so that each snapshot has its own.
#[derive(Debug)]
pub(crate) struct StepReaders {
    /// Of rows, in the snapshot after and in that before.
    pub rows: [Arc<TableReader>; 2],
    /// Of what tells rows apart alone, where the rows are read later, and only those that changed.
    pub identity: Option<[Arc<TableReader>; 2]>,
    /// Of positions alone.
    pub positions: [Arc<TableReader>; 2],
}

/// A snapshot whose changes are read, or several of which the net changes are.
#[derive(Debug)]
pub(super) struct Step {
    /// `_change_ordinal`.
    pub ordinal: i32,
    /// `_commit_snapshot_id`.
    pub snapshot_id: i64,
    /// Which of its rows were copied?
    pub matching: Matching,
    /// Its files, those with rows that came first.
    pub files: Vec<ChangedFile>,
    /// What reads them.
    pub readers: StepReaders,
}

impl Step {
    /// A step of files, with what reads them. `by_values` asks for no lineage.
    pub fn new(
        ordinal: i32,
        snapshot_id: i64,
        mut files: Vec<ChangedFile>,
        by_values: bool,
        readers: impl FnOnce(Matching) -> StepReaders,
    ) -> Self {
        files.sort_by_key(|file| file.side == Side::Deleted);
        let is_one_sided = match (files.first(), files.last()) {
            (Some(first), Some(last)) => first.side == last.side,
            _ => true,
        };
        let matching = if is_one_sided {
            Matching::Nothing
        } else if !by_values && files.iter().all(|file| file.task.first_row_id.is_some()) {
            Matching::Lineage
        } else {
            Matching::Values
        };
        Self { ordinal, snapshot_id, matching, files, readers: readers(matching) }
    }
}

impl Step {
    /// The same files, of which copied rows are found by values.
    pub fn by_values(&self, readers: StepReaders) -> Self {
        let (matching, files) = (Matching::Values, self.files.clone());
        Self { ordinal: self.ordinal, snapshot_id: self.snapshot_id, matching, files, readers }
    }
}

/// A file of a step to read.
#[derive(Debug, Clone)]
pub(super) struct ReadFile {
    /// The step.
    pub step: Arc<Step>,
    /// The number of the file in it.
    pub number: usize,
    /// Which of its rows, and for what.
    pub wanted: WantedRows,
}

impl ReadFile {
    /// All rows of a file that came or went, numbered where copied ones have to be found.
    pub fn changed(step: &Arc<Step>, number: usize) -> Self {
        let is_plain = step.matching == Matching::Nothing;
        let wanted = if is_plain { WantedRows::Changed } else { WantedRows::Numbered };
        Self { step: Arc::clone(step), number, wanted }
    }
}

/// Which rows of a file of a step are read.
#[derive(Debug, Clone)]
pub(super) enum WantedRows {
    /// All that came or went.
    Changed,
    /// The same, numbered, to find copied ones.
    Numbered,
    /// Those at these positions, which were found to have changed.
    At(RoaringTreemap),
}
