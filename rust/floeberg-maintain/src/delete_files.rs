//! Which delete files are worth writing again?
//!
//! In: the files of a plan of all rows, those that a filter chooses, and sizes. Out: groups of delete files, each of one partition.
//! Spec: Delete Formats; Deletion Vectors (from v3 on they stand for position deletes).
//!
//! Invariant: a delete file is in one group at most. Deletion vectors are in none.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use floeberg_core::Result;
use floeberg_iceberg::plan::{DeleteFile, DeleteKind, Plan};
use floeberg_io::location::canonical;

use crate::compaction::FileGroup;
use crate::packing::packed;

/// Sizes that decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeleteFileSizes {
    /// The size of new files, in bytes.
    pub target: u64,
    /// Smaller files are written again, in bytes.
    pub least: u64,
    /// Larger files are written again, in bytes.
    pub most: u64,
    /// So many files are worth it.
    pub least_files: usize,
    /// The size of a group, in bytes.
    pub most_of_group: u64,
    /// Are all files written again?
    pub all: bool,
}

/// The files of position deletes of a plan that are worth it, the largest groups first; with `chosen`, those that apply to one of its
/// data files. With `all`, which turns them into vectors,
/// their sizes do not count.
///
/// Errors: those of the tasks of a plan.
pub fn position_groups(
    plan: &Plan,
    chosen: Option<&Plan>,
    sizes: &DeleteFileSizes,
    all: bool,
) -> Result<Vec<FileGroup>> {
    let is_candidate = |delete: &DeleteFile| {
        let size = bytes(delete);
        matches!(delete.kind, DeleteKind::Position)
            && (all || sizes.all || size < sizes.least || size > sizes.most)
    };
    let mut groups = groups(plan, chosen, is_candidate, sizes.most_of_group)?;
    groups.retain(|group| {
        let is_joined =
            group.paths.len() > 1 && (group.paths.len() >= sizes.least_files || group.bytes > sizes.target);
        all || sizes.all || is_joined || group.bytes > sizes.most
    });
    Ok(groups)
}

/// All equality delete files of a plan, by partition, the largest groups first; with `chosen`, those that apply to one of its data
/// files.
///
/// Errors: those of the tasks of a plan.
pub fn equality_groups(plan: &Plan, chosen: Option<&Plan>, most_of_group: u64) -> Result<Vec<FileGroup>> {
    groups(plan, chosen, |delete| matches!(delete.kind, DeleteKind::Equality { .. }), most_of_group)
}

fn groups(
    plan: &Plan,
    chosen: Option<&Plan>,
    is_candidate: impl Fn(&DeleteFile) -> bool,
    most: u64,
) -> Result<Vec<FileGroup>> {
    let paths = |plan: &Plan| -> Result<HashSet<String>> {
        plan.tasks().map(|task| Ok(canonical(&task?.file_path).to_owned())).collect()
    };
    let chosen = chosen.map(paths).transpose()?;
    let mut seen = HashSet::new();
    let mut partitions: HashMap<String, Vec<Arc<DeleteFile>>> = HashMap::new();
    for task in plan.tasks() {
        let task = task?;
        if chosen.as_ref().is_some_and(|chosen| !chosen.contains(canonical(&task.file_path))) {
            continue;
        }
        for delete in task.deletes {
            if is_candidate(&delete) && seen.insert(canonical(&delete.file_path).to_owned()) {
                let key = format!("{} {:?}", delete.spec_id, delete.partition);
                partitions.entry(key).or_default().push(delete);
            }
        }
    }
    let mut groups = Vec::new();
    for mut deletes in partitions.into_values() {
        deletes.sort_by(|one, other| {
            let key = |delete: &DeleteFile| delete.data_sequence_number;
            key(one).cmp(&key(other)).then_with(|| one.file_path.cmp(&other.file_path))
        });
        groups.extend(packed(deletes, |delete| bytes(delete), most, usize::MAX).into_iter().map(|group| {
            FileGroup {
                bytes: group.iter().map(|delete| bytes(delete)).fold(0, u64::saturating_add),
                paths: group.into_iter().map(|delete| delete.file_path.clone()).collect(),
            }
        }));
    }
    groups.sort_by(|one, other| {
        other.paths.len().cmp(&one.paths.len()).then_with(|| one.paths.cmp(&other.paths))
    });
    Ok(groups)
}

fn bytes(delete: &DeleteFile) -> u64 {
    u64::try_from(delete.file_size_in_bytes).unwrap_or(0)
}
