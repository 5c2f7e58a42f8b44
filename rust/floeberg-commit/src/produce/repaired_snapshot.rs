//! Which snapshot has mended manifests, and are its files those of the base?
//!
//! In: manifests that were written again, and those that stay. Out: a snapshot; and a fingerprint of live files, in any order.
//! Spec: Snapshots; Appendix F, Optional Snapshot Summary Fields.
//!
//! Invariant: two lists of files with one fingerprint have the same files, each as often, with the same partitions, sequence numbers and
//! row ids.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use floeberg_core::Result;
use floeberg_core::value::PartitionKey;
use floeberg_iceberg::manifest::{ManifestEntry, ManifestFile};
use floeberg_iceberg::metadata::Snapshot;

use super::context::ActionContext;
use super::filtered::by_content;
use super::snapshot::{Produced, add_snapshot};
use crate::state::Summary;

/// A fingerprint of live files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LiveFiles {
    files: u64,
    sums: [u64; 2],
}

impl LiveFiles {
    /// Adds a file.
    pub fn add(&mut self, spec_id: i32, name: &(String, Option<i64>), entry: &ManifestEntry) {
        self.files += 1;
        for (number, sum) in self.sums.iter_mut().enumerate() {
            let mut hasher = DefaultHasher::new();
            let file = &entry.data_file;
            (number, spec_id, name, entry.snapshot_id, entry.sequence_number).hash(&mut hasher);
            (entry.file_sequence_number, file.first_row_id, file.content as u8).hash(&mut hasher);
            PartitionKey::new(file.partition.iter().map(Option::as_ref)).as_bytes().hash(&mut hasher);
            *sum = sum.wrapping_add(hasher.finish());
        }
    }
}

/// Makes the snapshot.
///
/// Errors: those of the store.
pub(crate) fn repaired_snapshot(
    context: &ActionContext<'_>,
    operation: &str,
    new: Vec<ManifestFile>,
    kept: Vec<ManifestFile>,
    replaced: usize,
    summary: Summary,
) -> Result<Produced> {
    let parent = context.parent()?;
    let parent_snapshot_id = parent.as_ref().map(|parent| parent.snapshot_id);
    let all = new.into_iter().chain(kept).collect();
    snapshot_of(context, (parent.as_deref(), parent_snapshot_id), operation, all, replaced, summary)
}

/// Makes the first snapshot of a table of the files of another one. Its parent is a snapshot of that one, as if it had expired.
///
/// Errors: those of the store.
pub(crate) fn rebuilt_snapshot(
    context: &ActionContext<'_>,
    parent_snapshot_id: Option<i64>,
    operation: &str,
    manifests: Vec<ManifestFile>,
    summary: Summary,
) -> Result<Produced> {
    snapshot_of(context, (None, parent_snapshot_id), operation, manifests, 0, summary)
}

fn snapshot_of(
    context: &ActionContext<'_>,
    (parent, parent_snapshot_id): (Option<&Snapshot>, Option<i64>),
    operation: &str,
    manifests: Vec<ManifestFile>,
    replaced: usize,
    mut summary: Summary,
) -> Result<Produced> {
    let (mut all, mut deletes) = by_content(manifests);
    all.append(&mut deletes);
    summary.count_manifests(&all, context.snapshot_id(), replaced);
    for (name, value) in context.properties {
        summary.say(name, value);
    }
    let most_partitions = context.most_partitions()?;
    let path = |spec_id, values: &[_]| Ok(context.spec(spec_id)?.partition_path(values));
    let summary = summary.finish(parent, most_partitions, path)?;
    add_snapshot(context, parent_snapshot_id, operation, &all, summary)
}
