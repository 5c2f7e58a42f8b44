//! Which data files are worth writing again?
//!
//! In: the files of a plan, and sizes. Out: groups of files, each of one partition, that become fewer or larger files, or lose their
//! deletes. The rules are those of Iceberg Java's `rewrite_data_files`, by bin-packing.
//!
//! ```text
//! candidate   too small, too large, or with too many deletes
//! group       of one partition, up to a size; kept if it has enough files, or enough rows for a file, or too many deletes
//! ```
//!
//! Invariant: a file is in one group at most.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::str::FromStr;

use floeberg_core::{Error, Result};
use floeberg_iceberg::plan::{DeleteKind, FileScanTask, Plan};

use crate::packing::packed;

/// Sizes and numbers that decide.
#[derive(Debug, Clone, PartialEq)]
pub struct Sizes {
    /// The size of new files, in bytes.
    pub target: u64,
    /// Smaller files are written again, in bytes.
    pub least: u64,
    /// Larger files are written again, in bytes.
    pub most: u64,
    /// So many files are worth it.
    pub least_files: usize,
    /// A file with so many delete files is written again.
    pub delete_files: usize,
    /// A file of which so many rows are deleted by files of its own, from 0 to 1, is written again.
    pub delete_ratio: f64,
    /// The size of a group, in bytes.
    pub most_of_group: u64,
    /// The files of a group.
    pub most_files_of_group: usize,
    /// So many files are written again at most.
    pub most_files: usize,
    /// Are all files written again?
    pub all: bool,
}

/// Which groups come first?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobOrder {
    /// `none`: those with the most files, as it is best without a wish.
    Any,
    /// `bytes-asc`
    FewestBytes,
    /// `bytes-desc`
    MostBytes,
    /// `files-asc`
    FewestFiles,
    /// `files-desc`
    MostFiles,
}

impl FromStr for JobOrder {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.to_ascii_lowercase().as_str() {
            "none" => Ok(Self::Any),
            "bytes-asc" => Ok(Self::FewestBytes),
            "bytes-desc" => Ok(Self::MostBytes),
            "files-asc" => Ok(Self::FewestFiles),
            "files-desc" => Ok(Self::MostFiles),
            _ => Err(Error::invalid_input(format!(
                "rewrite-job-order: expected none, bytes-asc, bytes-desc, files-asc or files-desc, found {text:?}"
            ))),
        }
    }
}

/// Files that are written again together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileGroup {
    /// Their paths, in the order of their sequence numbers.
    pub paths: Vec<String>,
    /// Their bytes.
    pub bytes: u64,
}

/// The groups of a plan that are worth it. Files of other specs than `output_spec` are one partition, since their rows go to any.
///
/// Errors: those of the tasks of a plan.
pub fn groups(plan: &Plan, output_spec: i32, sizes: &Sizes, job_order: JobOrder) -> Result<Vec<FileGroup>> {
    let mut partitions: HashMap<String, Vec<FileScanTask>> = HashMap::new();
    for task in plan.tasks() {
        let task = task?;
        if sizes.all || is_candidate(&task, sizes) {
            let is_current = task.spec_id == output_spec;
            let key = if is_current { format!("{:?}", task.partition) } else { String::new() };
            partitions.entry(key).or_default().push(task);
        }
    }
    let mut found: Vec<Vec<FileScanTask>> = Vec::new();
    for (_, mut tasks) in partitions {
        tasks.sort_by(|one, other| {
            let key = |task: &FileScanTask| (task.data_sequence_number, task.first_row_id);
            key(one).cmp(&key(other)).then_with(|| one.file_path.cmp(&other.file_path))
        });
        let packed = packed(tasks, bytes, sizes.most_of_group, sizes.most_files_of_group).into_iter();
        found.extend(packed.filter(|group| sizes.all || is_worth_it(group, sizes)));
    }
    found
        .sort_by_cached_key(|group| (Reverse(group.len()), group.first().map(|task| task.file_path.clone())));
    let mut left = sizes.most_files;
    for group in &mut found {
        group.truncate(left);
        left -= group.len();
    }
    found.retain(|group| !group.is_empty());
    let mut found: Vec<_> = found
        .into_iter()
        .map(|group| FileGroup {
            bytes: group.iter().map(bytes).fold(0, u64::saturating_add),
            paths: group.into_iter().map(|task| task.file_path).collect(),
        })
        .collect();
    match job_order {
        JobOrder::Any => {}
        JobOrder::FewestBytes => found.sort_by_key(|group| group.bytes),
        JobOrder::MostBytes => found.sort_by_key(|group| Reverse(group.bytes)),
        JobOrder::FewestFiles => found.sort_by_key(|group| group.paths.len()),
        JobOrder::MostFiles => found.sort_by_key(|group| Reverse(group.paths.len())),
    }
    Ok(found)
}

fn bytes(task: &FileScanTask) -> u64 {
    u64::try_from(task.file_size_in_bytes).unwrap_or(0)
}

fn is_candidate(task: &FileScanTask, sizes: &Sizes) -> bool {
    let size = bytes(task);
    size < sizes.least || size > sizes.most || has_many_deletes(task, sizes)
}

fn has_many_deletes(task: &FileScanTask, sizes: &Sizes) -> bool {
    let own = task.deletes.iter().filter(|delete| {
        matches!(delete.kind, DeleteKind::Vector { .. }) || delete.referenced_data_file.is_some()
    });
    let deleted: i64 = own.map(|delete| delete.record_count).fold(0, i64::saturating_add);
    let rows = task.record_count.max(1);
    task.deletes.len() >= sizes.delete_files || deleted.min(rows) as f64 / rows as f64 >= sizes.delete_ratio
}

fn is_worth_it(group: &[FileScanTask], sizes: &Sizes) -> bool {
    let size: u64 = group.iter().map(bytes).fold(0, u64::saturating_add);
    let has_enough_files = group.len() > 1 && group.len() >= sizes.least_files;
    let has_enough_rows = group.len() > 1 && size > sizes.target;
    has_enough_files
        || has_enough_rows
        || size > sizes.most
        || group.iter().any(|task| has_many_deletes(task, sizes))
}
