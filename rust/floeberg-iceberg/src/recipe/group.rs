//! A group of tasks with what they share, as bytes.

use std::collections::HashMap;
use std::sync::Arc;

use floeberg_core::{Cancel, Result};
use serde_json::{Value as Json, json};

use super::ReadRecipe;
use super::fields::{array, field};
use super::pack::{pack, unpack};
use super::task::{delete_from_json, delete_to_json, task_from_json, task_to_json};
use crate::budget::thread_budget;
use crate::plan::{DeleteFile, FileScanTask};
use crate::read::{BatchStream, stream};

/// Tasks of one scan that one worker reads, with all it needs.
#[derive(Debug, Clone)]
pub struct GroupRecipe {
    read: Arc<ReadRecipe>,
    tasks: Vec<FileScanTask>,
}

impl GroupRecipe {
    /// Tasks with what they share.
    pub fn new(read: Arc<ReadRecipe>, tasks: Vec<FileScanTask>) -> Self {
        Self { read, tasks }
    }

    /// What the tasks share.
    pub fn read(&self) -> &Arc<ReadRecipe> {
        &self.read
    }

    /// The tasks.
    pub fn tasks(&self) -> &[FileScanTask] {
        &self.tasks
    }

    /// The rows, as batches in the order of the tasks, read by so many threads: the budget's where it is not told.
    pub fn stream(&self, cancel: &Cancel, threads: Option<usize>) -> Result<BatchStream> {
        let threads = threads.map_or_else(thread_budget, Ok)?;
        let request = Arc::new(self.read.request(cancel)?);
        Ok(stream(request, self.tasks.clone().into_iter().map(Ok), threads, None))
    }

    /// The bytes, compressed: schemas, filters and paths are long and alike. They hold the storage options, secrets among
    /// them: they are for a worker, not for a log.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        pack(&self.to_json()?)
    }

    /// Reads the bytes back. Errors: `InvalidInput` for bytes that are not such a recipe, `LimitExceeded` for more than
    /// any group has.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::from_json(&unpack(bytes)?)
    }

    pub(super) fn to_json(&self) -> Result<Json> {
        let mut numbers: HashMap<*const DeleteFile, usize> = HashMap::new();
        let mut deletes = Vec::new();
        let mut tasks = Vec::with_capacity(self.tasks.len());
        for task in &self.tasks {
            let mut own = Vec::with_capacity(task.deletes.len());
            for delete in &task.deletes {
                let next = numbers.len();
                let number = *numbers.entry(Arc::as_ptr(delete)).or_insert(next);
                if number == next {
                    deletes.push(delete_to_json(delete)?);
                }
                own.push(number);
            }
            tasks.push(task_to_json(task, &own)?);
        }
        let named = self.tasks.iter().flat_map(|task| &task.deletes).map(AsRef::as_ref);
        Ok(json!({"read": self.read.to_json(named)?, "deletes": deletes, "tasks": tasks}))
    }

    pub(super) fn from_json(json: &Json) -> Result<Self> {
        let read = ReadRecipe::from_json(field(json, "read")?)?;
        let deletes = array(json, "deletes")?.iter();
        let deletes: Vec<_> =
            deletes.map(|delete| delete_from_json(delete, &read).map(Arc::new)).collect::<Result<_>>()?;
        let tasks = array(json, "tasks")?.iter();
        let residuals = read.residuals()?;
        let tasks =
            tasks.map(|task| task_from_json(task, &deletes, &read, &residuals)).collect::<Result<_>>()?;
        Ok(Self { read: Arc::new(read), tasks })
    }
}
