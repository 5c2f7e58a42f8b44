//! For which data files are new delete files written, here or by another process?
//!
//! In: data files with the deletes that new ones stand for. Out: their delete files, each under the key of what it was made of.
//! Spec: Delete Formats; Deletion Vectors; Iceberg documentation, `write.delete.granularity`.
//!
//! ```text
//! data files  ->  units: a data file, or the data files of a partition  ->  groups of units, for a process each  ->  receipts
//!                                                                       ->  all units, here                      ->  a receipt
//! ```
//!
//! Invariant: the delete files are those that the commit would write itself, by the same code. Equal keys stand for equal deletes, so that
//! another attempt writes only those of data files that others changed.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use floeberg_core::value::PartitionKey;
use floeberg_core::{Cancel, Error, Result};
use floeberg_exec::budget::thread_budget;
use floeberg_exec::threads::ordered;
use floeberg_iceberg::GroupRecipe;
use floeberg_iceberg::plan::FileScanTask;
use floeberg_iceberg::write::{DeleteRecipe, Receipt, WriteTask, WrittenFile};
use floeberg_io::location::canonical;

use super::delete_files::DeletedRowsReader;
use super::matched::Matched;
use super::merged_on_read::write_deletes;
use crate::produce::ActionContext;
use crate::state::Step;

/// Between the keys of units. No key has it: texts in keys are escaped.
const BETWEEN: char = '\0';

/// Data files whose new deletes another process is to write.
#[derive(Debug, Clone)]
pub struct DeleteGroup {
    /// What the commit knows the delete files by.
    pub key: String,
    /// The data files, with the deletes that new ones stand for.
    pub files: GroupRecipe,
    /// How delete files are written.
    pub recipe: DeleteRecipe,
}

/// Data files whose new deletes are written, and used, together.
#[derive(Debug)]
pub(crate) struct Unit {
    /// Its name, and on more lines what its deletes are made of.
    pub key: String,
    /// The data files, with the deletes that new ones stand for.
    pub tasks: Vec<FileScanTask>,
}

/// The units of data files.
pub(crate) fn units(recipe: &DeleteRecipe, tasks: Vec<FileScanTask>) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for task in tasks {
        let name =
            if recipe.is_by_data_file() { name_of_file(&task.file_path) } else { name_of_partition(&task) };
        let number = *known.entry(name).or_insert_with_key(|name| {
            let key = format!("{name}\n{}", if recipe.has_vectors() { "vectors" } else { "positions" });
            units.push(Unit { key, tasks: Vec::new() });
            units.len() - 1
        });
        let unit = &mut units[number];
        let _ = write!(unit.key, "\n{:?}", task.file_path);
        for delete in &task.deletes {
            let (path, number) = (&delete.file_path, delete.data_sequence_number);
            let _ = write!(unit.key, "\n  {path:?} {:?} {number}", delete.kind);
        }
        unit.tasks.push(task);
    }
    units
}

fn name_of_file(path: &str) -> String {
    format!("file {:?}", canonical(path))
}

fn name_of_partition(task: &FileScanTask) -> String {
    format!("partition {} {}", task.spec_id, shown(&key_of(task)))
}

fn key_of(task: &FileScanTask) -> PartitionKey {
    PartitionKey::new(task.partition.iter().map(|(_, value)| value.as_ref()))
}

fn shown(key: &PartitionKey) -> String {
    key.as_bytes().iter().fold(String::new(), |mut shown, byte| {
        let _ = write!(shown, "{byte:02x}");
        shown
    })
}

/// Units in groups of about so many bytes of data files: those of a partition, which may have delete files in common, follow one another.
pub(crate) fn in_groups(mut units: Vec<Unit>, share: u64) -> Vec<(String, Vec<FileScanTask>)> {
    let place = |unit: &Unit| unit.tasks.first().map(|task| (task.spec_id, key_of(task).as_bytes().to_vec()));
    units.sort_by_cached_key(place);
    let (mut groups, mut size) = (Vec::<(String, Vec<FileScanTask>)>::new(), u64::MAX);
    for Unit { key, tasks } in units {
        let bytes = tasks.iter().map(|task| u64::try_from(task.file_size_in_bytes).unwrap_or(0));
        let bytes = bytes.fold(0, u64::saturating_add);
        if size.saturating_add(bytes / 2) > share {
            groups.push((String::new(), Vec::new()));
            size = 0;
        }
        if let Some((of_group, files)) = groups.last_mut() {
            if !of_group.is_empty() {
                of_group.push(BETWEEN);
            }
            of_group.push_str(&key);
            files.extend(tasks);
            size = size.saturating_add(bytes);
        }
    }
    groups
}

/// The key of units together.
pub(crate) fn joined(units: &[&Unit]) -> String {
    let keys: Vec<&str> = units.iter().map(|unit| unit.key.as_str()).collect();
    keys.join(&String::from(BETWEEN))
}

/// The delete files of each unit of a key, by the key of the unit. A unit whose deletes delete no row has none.
///
/// Errors: `InvalidInput` for a delete file of another unit.
pub(crate) fn by_unit(key: &str, receipt: Receipt) -> Result<Vec<(String, Receipt)>> {
    let keys: Vec<&str> = key.split(BETWEEN).collect();
    let name = |key: &&str| key.lines().next().unwrap_or_default().to_owned();
    let by_name: HashMap<String, usize> =
        keys.iter().enumerate().map(|(number, key)| (name(key), number)).collect();
    let mut files: BTreeMap<usize, Vec<WrittenFile>> = BTreeMap::new();
    for written in receipt.into_files() {
        let of_file = written.file.referenced_data_file.as_deref().map(name_of_file);
        let of_partition = || {
            let values = written.file.partition.iter().map(Option::as_ref);
            format!("partition {} {}", written.spec_id, shown(&PartitionKey::new(values)))
        };
        let number = of_file.and_then(|name| by_name.get(&name)).or_else(|| by_name.get(&of_partition()));
        let Some(number) = number else {
            let message =
                "expected deletes of the data files that were asked for, found those of another one";
            return Err(Error::invalid_input(message).with("path", &written.file.file_path));
        };
        files.entry(*number).or_default().push(written);
    }
    let of_unit = |(number, key): (usize, &str)| {
        Ok((key.to_owned(), Receipt::new(files.remove(&number).unwrap_or_default())?))
    };
    keys.into_iter().enumerate().map(of_unit).collect()
}

/// Writes the delete files of units of the base, which an attempt asks for.
///
/// Errors: those of reading and writing. No file stays after one.
pub(crate) fn write_units(
    context: &ActionContext<'_>,
    recipe: &DeleteRecipe,
    units: &[&Unit],
) -> Result<Receipt> {
    let tasks: Vec<&FileScanTask> = units.iter().flat_map(|unit| &unit.tasks).collect();
    context.progress.begin(Step::Reading, tasks.len());
    let (reader, manifests) = (DeletedRowsReader::new(context)?, context.reader);
    let found = ordered(&tasks, manifests.threads, &manifests.cancel, |task| {
        let found = reader.to_write(task);
        context.progress.add_file();
        found
    })?;
    let found: Vec<Matched> = found.into_iter().flatten().collect();
    context.progress.begin(Step::Changing, found.len());
    let task = WriteTask { partition: 0, name: "0" };
    write_deletes(recipe, manifests.store.as_ref(), task, &manifests.cancel, found)
}

/// Writes the delete files of a group, by at most this many threads; `None` uses the budget of the process.
///
/// Errors: those of reading and writing. No file stays after one.
pub fn write_group_deletes(
    files: &GroupRecipe,
    recipe: &DeleteRecipe,
    task: WriteTask<'_>,
    threads: Option<usize>,
    cancel: &Cancel,
) -> Result<Receipt> {
    let threads = threads.map_or_else(thread_budget, Ok)?;
    let request = files.with_columns(DeletedRowsReader::columns()?).read().request(cancel)?;
    let (reader, store) = (DeletedRowsReader::of(request), recipe.store()?);
    let tasks = files.tasks().collect::<Result<Vec<_>>>()?;
    let found = ordered(&tasks, threads, cancel, |task| reader.to_write(task))?;
    write_deletes(recipe, store.as_ref(), task, cancel, found.into_iter().flatten().collect())
}
