//! A group of tasks with what they share, as bytes.

use std::collections::HashMap;
use std::sync::Arc;

use floeberg_core::schema::Schema;
use floeberg_core::{Cancel, Error, Result};
use serde_json::Value as Json;

use super::ReadRecipe;
use super::fields::{array, field};
use super::task::{TaskText, delete_from_json, delete_to_json, task_from_json};
use crate::plan::{DeleteFile, Extent, FileScanTask, TaskGroup};
use crate::read::{BatchStream, TableReader, stream, task_stream};
use crate::wire::{Packing, unpack};
use floeberg_exec::budget::thread_budget;

/// Tasks of one scan that one worker reads, with all it needs.
#[derive(Debug, Clone)]
pub struct GroupRecipe {
    read: Arc<ReadRecipe>,
    tasks: Tasks,
    /// Do tasks that were sent here have residuals of a server?
    has_served_residuals: bool,
}

#[derive(Debug, Clone)]
enum Tasks {
    /// Where they were planned.
    Planned(TaskGroup),
    /// Where they were sent to.
    Sent(Arc<[FileScanTask]>),
}

impl GroupRecipe {
    /// Tasks of a plan with what they share.
    pub fn new(read: Arc<ReadRecipe>, group: TaskGroup) -> Self {
        Self { read, tasks: Tasks::Planned(group), has_served_residuals: false }
    }

    /// No task, but what tasks share.
    pub fn empty(read: Arc<ReadRecipe>) -> Self {
        Self { read, tasks: Tasks::Sent(Arc::from([])), has_served_residuals: false }
    }

    /// These tasks, which read whole files of a table, or parts of them.
    pub fn of_tasks(read: Arc<ReadRecipe>, tasks: Vec<FileScanTask>) -> Self {
        Self { read, tasks: Tasks::Sent(tasks.into()), has_served_residuals: false }
    }

    /// Other tasks, read in the same way.
    pub(super) fn with_tasks(&self, tasks: Vec<FileScanTask>) -> Self {
        Self {
            has_served_residuals: self.has_served_residuals(),
            ..Self::of_tasks(Arc::clone(&self.read), tasks)
        }
    }

    /// The same tasks, of which other columns are read.
    pub fn with_columns(&self, columns: Schema) -> Self {
        Self { read: Arc::new(self.read.with_columns(columns)), ..self.clone() }
    }

    /// What the tasks share.
    pub fn read(&self) -> &Arc<ReadRecipe> {
        &self.read
    }

    fn has_served_residuals(&self) -> bool {
        match &self.tasks {
            Tasks::Planned(group) => group.is_served(),
            Tasks::Sent(_) => self.has_served_residuals,
        }
    }

    /// How many tasks.
    pub fn len(&self) -> usize {
        match &self.tasks {
            Tasks::Planned(group) => group.len(),
            Tasks::Sent(tasks) => tasks.len(),
        }
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A task by its number. Errors: `InvalidInput` past the end.
    pub fn task(&self, number: usize) -> Result<FileScanTask> {
        match &self.tasks {
            Tasks::Planned(group) => group.task(number),
            Tasks::Sent(tasks) => {
                let past_end = || {
                    let tasks = tasks.len();
                    Error::invalid_input(format!(
                        "task {number} is out of range: the group has {tasks} tasks"
                    ))
                };
                tasks.get(number).cloned().ok_or_else(past_end)
            }
        }
    }

    /// The tasks in order, each built on demand.
    pub fn tasks(&self) -> impl Iterator<Item = Result<FileScanTask>> + Send + use<> {
        let group = self.clone();
        (0..group.len()).map(move |number| group.task(number))
    }

    /// What the tasks read at most.
    pub fn extent(&self) -> Result<Extent> {
        match &self.tasks {
            Tasks::Planned(group) => group.extent(),
            Tasks::Sent(tasks) => Ok(Extent::of(tasks)),
        }
    }

    /// The rows, as batches in the order of the tasks, computed by at most this many threads, with the requests of a task of
    /// Spark; `None` uses the budgets of a process.
    pub fn stream(&self, cancel: &Cancel, threads: Option<usize>) -> Result<BatchStream> {
        let reader = Arc::new(TableReader::new(self.read.request(cancel)?));
        Ok(match threads {
            Some(threads) => task_stream(reader, self.tasks(), threads),
            None => stream(reader, self.tasks(), thread_budget()?, None),
        })
    }

    /// The bytes, compressed: schemas, filters and paths are long and alike. They hold the storage options, secrets among
    /// them: they are for a worker, not for a log.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let deletes = self.delete_files()?;
        let mut packing = Packing::default();
        packing.text(b"{\"read\":")?;
        self.read.write(deletes.files.iter().map(AsRef::as_ref), &mut packing)?;
        packing.text(b",\"deletes\":")?;
        packing.list(deletes.files.iter().map(|delete| delete_to_json(delete)))?;
        packing.text(b",\"tasks\":")?;
        match &self.tasks {
            Tasks::Planned(group) => packing.list(group.rows().map(|row| {
                let (row, range) = row?;
                let keys = row.deletes.iter().map(|number| *number as usize);
                TaskText::of_row(&row, range, deletes.numbers(keys), group.served_residual(&row))
            }))?,
            Tasks::Sent(tasks) => packing.list(tasks.iter().map(|task| {
                let keys = task.deletes.iter().map(|delete| Arc::as_ptr(delete) as usize);
                TaskText::of_task(task, deletes.numbers(keys), self.has_served_residuals)
            }))?,
        }
        if self.read.has_keys() {
            let tasks: Vec<FileScanTask> = self.tasks().collect::<Result<_>>()?;
            let files = tasks.iter().map(|task| task.location.as_str());
            let locations = files.chain(deletes.files.iter().map(|delete| delete.location.as_str()));
            packing.text(b",\"keys\":")?;
            packing.value(&self.read.sealed_keys(locations)?)?;
        }
        packing.text(b"}")?;
        packing.finish()
    }

    /// The bytes without the storage options: they may be stored.
    pub fn to_bytes_without_storage(&self) -> Result<Vec<u8>> {
        Self { read: Arc::new(self.read.without_storage()), ..self.clone() }.to_bytes()
    }

    /// Reads bytes back that have no storage options: they are those of this group. Errors: those of [`from_bytes`](Self::from_bytes).
    pub fn beside(&self, bytes: &[u8]) -> Result<Self> {
        let sent = Self::from_bytes(bytes)?;
        Ok(Self { read: Arc::new(sent.read.with_storage_of(&self.read)), ..sent })
    }

    /// Reads the bytes back. Errors: `InvalidInput` for bytes that are not such a recipe, `LimitExceeded` for more than
    /// any group has.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::from_json(&unpack(bytes, "a read recipe")?)
    }

    /// The delete files of the tasks, each once.
    fn delete_files(&self) -> Result<Deletes> {
        let mut deletes = Deletes::default();
        match &self.tasks {
            Tasks::Planned(group) => {
                for numbers in group.delete_numbers() {
                    for number in numbers? {
                        deletes.add(*number as usize, || group.delete_file(*number).cloned())?;
                    }
                }
            }
            Tasks::Sent(tasks) => {
                for delete in tasks.iter().flat_map(|task| &task.deletes) {
                    deletes.add(Arc::as_ptr(delete) as usize, || Ok(Arc::clone(delete)))?;
                }
            }
        }
        Ok(deletes)
    }

    pub(super) fn from_json(json: &Json) -> Result<Self> {
        let read = ReadRecipe::from_json(field(json, "read")?)?.with_sealed_keys(json.get("keys"))?;
        let deletes = array(json, "deletes")?.iter();
        let deletes: Vec<_> =
            deletes.map(|delete| delete_from_json(delete, &read).map(Arc::new)).collect::<Result<_>>()?;
        let tasks = array(json, "tasks")?.iter();
        let residuals = read.residuals()?;
        let tasks = tasks.map(|task| task_from_json(task, &deletes, &read, &residuals));
        let sent = Tasks::Sent(tasks.collect::<Result<_>>()?);
        let has_served_residuals = array(json, "tasks")?.iter().any(|task| task.get("residual").is_some());
        Ok(Self { read: Arc::new(read), tasks: sent, has_served_residuals })
    }
}

/// Delete files, numbered by their identity.
#[derive(Default)]
struct Deletes {
    files: Vec<Arc<DeleteFile>>,
    numbers: HashMap<usize, usize>,
}

impl Deletes {
    fn add(&mut self, key: usize, file: impl FnOnce() -> Result<Arc<DeleteFile>>) -> Result<()> {
        let next = self.files.len();
        if *self.numbers.entry(key).or_insert(next) == next {
            self.files.push(file()?);
        }
        Ok(())
    }

    fn numbers(&self, keys: impl Iterator<Item = usize>) -> Vec<usize> {
        keys.filter_map(|key| self.numbers.get(&key).copied()).collect()
    }
}
