//! Which snapshot results from adding and removing files?
//!
//! In: files to add, and what to remove. Out: a snapshot.
//! Spec: Snapshots; Manifests; Delete Formats; Appendix F, Optional Snapshot Summary Fields.
//!
//! Invariant: all other files stay as they are.

use std::collections::HashSet;

use floeberg_core::Result;
use floeberg_iceberg::manifest::{FileContent, ManifestFile};
use floeberg_iceberg::write::WrittenFile;
use floeberg_io::location::canonical;

use super::complete_manifests::take_base_manifests;
use super::context::ActionContext;
use super::filtered::{Filtered, by_content, filter_data, filter_deletes, has_live_files};
use super::imported_files::{check_not_listed, check_there};
use super::merged::merge;
use super::new_manifests::new_manifests;
use super::removal::Removal;
use super::snapshot::{Produced, add_snapshot};
use crate::RowCounts;
use crate::columns::{FileOrigin, check_schema_and_spec};
use crate::state::{Counted, Step, Summary};

/// What changes.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "four properties of operations, each by itself")]
pub(crate) struct FileChange<'a> {
    /// `append`, `overwrite` or `delete`.
    pub operation: &'static str,
    /// The files to add.
    pub added: &'a [WrittenFile],
    /// What to remove.
    pub removal: Option<&'a Removal>,
    /// Are manifests merged, and empty ones dropped? A fast append does neither.
    pub merges: bool,
    /// Does the snapshot replace partitions?
    pub replaces_partitions: bool,
    /// Does the attempt itself choose the files? Then another attempt cannot use its manifests.
    pub is_of_attempt: bool,
    /// May an added file be in the table under another name, by a link?
    pub may_have_links: bool,
    /// The data sequence number of added files, where they hold what older files held; `None` is that of the commit.
    pub data_sequence_number: Option<i64>,
}

impl<'a> FileChange<'a> {
    /// A change that merges manifests, and is the same on every base.
    pub fn new(operation: &'static str, added: &'a [WrittenFile], removal: Option<&'a Removal>) -> Self {
        Self {
            operation,
            added,
            removal,
            merges: true,
            replaces_partitions: false,
            is_of_attempt: false,
            may_have_links: false,
            data_sequence_number: None,
        }
    }

    /// The same, with files that the attempt itself chose.
    #[must_use]
    pub fn of_attempt(self) -> Self {
        Self { is_of_attempt: true, ..self }
    }
}

/// Makes the snapshot of a change. Where nothing changes there is none, unless it is a record.
///
/// Errors: `InvalidInput`, `Unsupported`, `AlreadyExists` and `CommitConflict` for files that cannot be added or are not there to
/// be removed; those of reading manifests and of the store.
pub(crate) fn change_files(context: &ActionContext<'_>, change: FileChange<'_>) -> Result<Produced> {
    context.progress.begin(Step::Committing, 0);
    let parent = context.parent()?;
    let (data, deletes) = by_content(take_base_manifests(context)?);
    check_schema_and_spec(&context.metadata, change.added, FileOrigin::Written)?;
    if !context.files_are_new {
        check_not_listed(context, data.iter().chain(&deletes), change.added, change.may_have_links)?;
        check_there(context, change.added)?;
    }
    let mut summary = Summary::default();
    let mut taken = Taken::default();
    let (mut data, mut deletes) = match change.removal {
        None => (data, deletes),
        Some(removal) => {
            take_out(context, [&data, &deletes], removal, change.is_of_attempt, &mut summary, &mut taken)?
        }
    };
    // Delete files that no row needs any more may go with rows, and alone are no reason for a snapshot.
    let is_named = matches!(change.removal, Some(Removal::Files(files)) if files.len() > 0);
    if change.added.is_empty() && taken.counts.deleted_files == 0 && !is_named && !context.leaves_record {
        return Ok(Produced::default());
    }
    let Taken { mut replaced, counts } = taken;
    for written in change.added {
        summary.add(&Counted::of(written.spec_id, &written.file));
    }
    let (snapshot_id, sequence_number) = (context.snapshot_id(), context.sequence_number()?);
    let new = new_manifests(context, change.added, change.is_of_attempt, change.data_sequence_number)?;
    let new = new.iter().map(|manifest| manifest.in_commit(sequence_number)).collect();
    let (mut all, mut new_deletes) = by_content(new);
    all.append(&mut data);
    new_deletes.append(&mut deletes);
    let mut deletes = new_deletes;
    if change.merges {
        let is_kept = |manifest: &ManifestFile| {
            has_live_files(manifest) || manifest.added_snapshot_id == Some(snapshot_id)
        };
        all.retain(is_kept);
        deletes.retain(is_kept);
        for group in [&mut all, &mut deletes] {
            let (merged, gone) = merge(context, std::mem::take(group))?;
            *group = merged;
            replaced += gone;
        }
    }
    all.append(&mut deletes);
    summary.count_manifests(&all, snapshot_id, replaced);
    if change.replaces_partitions {
        summary.say("replace-partitions", "true");
    }
    for (name, value) in context.properties {
        summary.say(name, value);
    }
    let most_partitions = context.most_partitions()?;
    let path = |spec_id, values: &[_]| Ok(context.spec(spec_id)?.partition_path(values));
    let summary = summary.finish(parent.as_deref(), most_partitions, path)?;
    let produced =
        add_snapshot(context, parent.map(|parent| parent.snapshot_id), change.operation, &all, summary)?;
    Ok(Produced { counts, ..produced })
}

/// What a removal took out.
#[derive(Debug, Default)]
struct Taken {
    /// The manifests that were written again.
    replaced: usize,
    /// The data files, with all of their rows.
    counts: RowCounts,
}

/// Data manifests and delete manifests after a removal.
fn take_out(
    context: &ActionContext<'_>,
    [data, deletes]: [&[ManifestFile]; 2],
    removal: &Removal,
    is_of_attempt: bool,
    summary: &mut Summary,
    taken: &mut Taken,
) -> Result<(Vec<ManifestFile>, Vec<ManifestFile>)> {
    let filtered = filter_data(context, data, removal, is_of_attempt)?;
    let numbers = filtered.iter().map(|filtered| filtered.manifest.min_sequence_number);
    let least = numbers.fold(context.metadata.last_sequence_number, i64::min);
    let removed: HashSet<&str> = filtered
        .iter()
        .flat_map(|filtered| &filtered.removed)
        .map(|file| canonical(&file.file_path))
        .collect();
    let filtered_deletes = filter_deletes(context, deletes, removal, &removed, least)?;
    drop(removed);
    removal.check_found(filtered.iter().chain(&filtered_deletes).flat_map(|filtered| &filtered.removed))?;
    let mut settle = |filtered: Vec<Filtered>| {
        let mut manifests = Vec::with_capacity(filtered.len());
        for Filtered { manifest, removed, is_rewritten } in filtered {
            for file in &removed {
                summary.remove(file);
                if file.content == FileContent::Data {
                    taken.counts.deleted_files += 1;
                    taken.counts.deleted_rows += u64::try_from(file.record_count).unwrap_or(0);
                    taken.counts.deleted_bytes += u64::try_from(file.bytes).unwrap_or(0);
                }
            }
            taken.replaced += usize::from(is_rewritten);
            manifests.push(manifest);
        }
        manifests
    };
    let data = settle(filtered);
    Ok((data, settle(filtered_deletes)))
}
