//! What does a worker need to read files that differ?
//!
//! In: two snapshots. Out: tasks of about as many bytes, each as bytes, and back.
//!
//! ```text
//! length of the head: u32 LE | head: JSON | tasks of a scan, as in a recipe
//! head: the number of each file's task before and after, or null | columns of the identity and of the key
//! ```
//!
//! Invariant: each file that differs is in one task. Bytes that are no task are an error.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema as ArrowSchema;
use floeberg_core::engine_schema::SparkSchema;
use floeberg_core::expr::BoundExpr;
use floeberg_core::schema::Schema;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::{Cancel, Error, Result};
use floeberg_rows::{ChangedCells, RowCounts};
use serde_json::{Value as Json, json};

use crate::changelog::{SentColumns, SentDifference};
use crate::plan::FileScanTask;
use crate::{Difference, GroupRecipe, ReadRecipe};

/// A file as the first snapshot has it, and as the second one has it: numbers of tasks in the group.
pub(super) type SentFile = (Option<usize>, Option<usize>);

/// Files that differ, with all that reading their rows needs.
#[derive(Debug, Clone)]
pub struct DifferenceTask {
    pub(super) group: GroupRecipe,
    pub(super) files: Vec<SentFile>,
    /// How many columns are shown.
    pub(super) selected: usize,
    /// Which columns tell rows apart.
    pub(super) identity: Vec<usize>,
    /// Which columns are the key.
    pub(super) keys: Vec<usize>,
}

/// The tasks of a difference.
#[derive(Debug)]
pub struct DifferenceTasks {
    /// They, as bytes. They hold the storage options, secrets among them.
    pub tasks: Vec<Vec<u8>>,
    /// The columns, as a task without files.
    pub columns: Vec<u8>,
    /// Are rows matched? Else each task gives rows of the difference.
    pub is_matched: bool,
    /// The bytes of all files, each counted once.
    pub bytes: u64,
    /// How many rows differ, if manifests say it.
    pub counts: Option<RowCounts>,
}

impl DifferenceTasks {
    /// Of a difference: at most so many tasks. No data file and no delete file is opened.
    ///
    /// Errors: those of planning.
    pub fn new(difference: &Difference, most_tasks: usize, cancel: &Cancel) -> Result<Self> {
        let SentDifference { files, columns, is_matched } = difference.sent(cancel)?;
        let read = ReadRecipe::of(difference.compared())?;
        let empty = GroupRecipe::empty(Arc::new(read)).with_columns(columns.read.clone());
        let counts = counts_of_files(&files);
        let sizes: Vec<u64> = files.iter().map(size).collect();
        let bytes = sizes.iter().fold(0, |sum: u64, size| sum.saturating_add(*size));
        let share = bytes.div_ceil(most_tasks.max(1) as u64).max(1);
        let (mut tasks, mut some, mut held) = (Vec::new(), Vec::new(), 0_u64);
        for (file, size) in files.into_iter().zip(sizes) {
            some.push(file);
            held = held.saturating_add(size);
            if held >= share {
                tasks.push(task(&empty, &columns, std::mem::take(&mut some)).to_bytes()?);
                held = 0;
            }
        }
        if !some.is_empty() {
            tasks.push(task(&empty, &columns, some).to_bytes()?);
        }
        let columns = task(&empty, &columns, Vec::new()).to_bytes()?;
        Ok(Self { tasks, columns, is_matched, bytes, counts })
    }
}

type FileOfBoth = (Option<FileScanTask>, Option<FileScanTask>);

/// The bytes of a file. One without a size counts too, so that no task has very many of them.
fn size((old, new): &FileOfBoth) -> u64 {
    let bytes = |task: &FileScanTask| u64::try_from(task.file_size_in_bytes).unwrap_or(0).max(1);
    new.as_ref().or(old.as_ref()).map_or(1, bytes)
}

/// The counts of files that only came, or only went, without deletes and with all of their rows.
fn counts_of_files(files: &[FileOfBoth]) -> Option<RowCounts> {
    let rows = |task: &FileScanTask| {
        let is_whole = task.deletes.is_empty() && *task.residual == BoundExpr::True;
        u64::try_from(task.record_count).ok().filter(|_| is_whole)
    };
    let mut counts = RowCounts::default();
    for file in files {
        match file {
            (None, Some(new)) if counts.deleted == 0 => counts.inserted += rows(new)?,
            (Some(old), None) if counts.inserted == 0 => counts.deleted += rows(old)?,
            _ => return None,
        }
    }
    Some(counts)
}

fn task(empty: &GroupRecipe, columns: &SentColumns, files: Vec<FileOfBoth>) -> DifferenceTask {
    let (mut tasks, mut numbers) = (Vec::new(), Vec::new());
    for (old, new) in files {
        let mut add = |task: Option<FileScanTask>| {
            task.map(|task| {
                tasks.push(task);
                tasks.len() - 1
            })
        };
        numbers.push((add(old), add(new)));
    }
    DifferenceTask {
        group: GroupRecipe::of_tasks(Arc::clone(empty.read()), tasks),
        files: numbers,
        selected: columns.selected,
        identity: columns.identity.clone(),
        keys: columns.keys.clone(),
    }
}

impl DifferenceTask {
    /// The bytes.
    ///
    /// Errors: `LimitExceeded` for more than any task has.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let head = json!({
            "files": self.files,
            "selected": self.selected,
            "identity": self.identity,
            "keys": self.keys,
        });
        let head = head.to_string();
        let length = u32::try_from(head.len())
            .map_err(|_| Error::limit("a task of a difference has too many files: make more tasks"))?;
        let mut bytes = length.to_le_bytes().to_vec();
        bytes.extend_from_slice(head.as_bytes());
        bytes.extend_from_slice(&self.group.to_bytes()?);
        Ok(bytes)
    }

    /// Reads the bytes back.
    ///
    /// Errors: `InvalidInput` for bytes that are no task.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (head, group) = bytes
            .split_first_chunk::<4>()
            .and_then(|(length, rest)| rest.split_at_checked(u32::from_le_bytes(*length) as usize))
            .ok_or_else(|| damaged("its head is cut off"))?;
        let head: Json =
            serde_json::from_slice(head).map_err(|error| damaged("its head is no JSON").caused_by(error))?;
        let group = GroupRecipe::from_bytes(group)?;
        let part = |name: &str| head.get(name).cloned().unwrap_or(Json::Null);
        let wrong = |name: &'static str| {
            move |error: serde_json::Error| damaged(&format!("field {name:?} is wrong")).caused_by(error)
        };
        let files: Vec<SentFile> = serde_json::from_value(part("files")).map_err(wrong("files"))?;
        let selected: usize = serde_json::from_value(part("selected")).map_err(wrong("selected"))?;
        let identity: Vec<usize> = serde_json::from_value(part("identity")).map_err(wrong("identity"))?;
        let keys: Vec<usize> = serde_json::from_value(part("keys")).map_err(wrong("keys"))?;
        let columns = group.read().projected().fields().len();
        let tasks = group.len();
        if selected > columns || identity.iter().chain(&keys).any(|place| *place >= columns) {
            return Err(damaged(&format!("it names a column after the last of {columns}")));
        }
        if files.iter().flat_map(|(old, new)| [old, new]).flatten().any(|number| *number >= tasks) {
            return Err(damaged(&format!("it names a file after the last of {tasks}")));
        }
        Ok(Self { group, files, selected, identity, keys })
    }

    /// The columns that are shown, as an engine has them.
    ///
    /// Errors: `Unsupported` for a column that the engine has no type for.
    pub fn shown(&self, engine: Option<SparkSchema>) -> Result<ArrowSchema> {
        let read = self.group.read().projected();
        let selected = Schema::new(read.schema_id(), read.fields()[..self.selected].to_vec())?;
        let columns = match engine {
            None => schema_to_arrow(&selected)?,
            Some(engine) => engine.schema(&selected)?,
        };
        Ok(ChangedCells::new(columns.fields()).output().as_ref().clone())
    }

    /// The columns that are shown of a batch that was read.
    pub(super) fn selected(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let places: Vec<usize> = (0..self.selected).collect();
        batch.project(&places).map_err(|error| damaged("it has other columns").caused_by(error))
    }

    pub(super) fn cells(&self) -> Result<ChangedCells> {
        let columns = schema_to_arrow(self.group.read().projected())?;
        let key: Vec<String> = self.keys.iter().map(|place| columns.field(*place).name().clone()).collect();
        Ok(ChangedCells::new(&columns.fields().iter().take(self.selected).cloned().collect()).with_key(&key))
    }
}

fn damaged(what: &str) -> Error {
    Error::invalid_input(format!("a task of a difference is damaged: {what}"))
}
