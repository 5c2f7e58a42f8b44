//! Which delete files delete no row any more?
//!
//! In: the base. Out: a snapshot without delete files that apply to no live data file.
//! Spec: Scan Planning (scope rules of deletes); Delete Formats.
//!
//! ```text
//! positions of one data file              that file is not live, or newer than the delete
//! vector                                  the same, and its Puffin file names that file too
//! positions                               all live data files of the partition are newer
//! keys                                    all live data files of the partition are as new or newer; without partition fields, all files
//! ```
//!
//! Invariant: in doubt a delete file stays: paths of its bounds count for nothing, and neither do partitions that cannot be
//! compared.

use std::collections::{HashMap, HashSet};

use floeberg_core::value::PartitionKey;
use floeberg_core::{Context as _, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::{EntryRequest, FileContent, ManifestEntries};
use floeberg_iceberg::write::WrittenFile;
use floeberg_io::location::canonical;

use crate::RowCounts;
use crate::produce::{
    ActionContext, FileChange, FilesByPath, Produced, Removal, base_manifests, change_files,
};
use crate::row_level::{listed_delete_file, of_live_deletes, why_vector_stays, with_live_data};
use crate::state::Step;

/// Removes them. Where there are none, nothing changes.
///
/// Errors: those of reading manifests, and of [`change_files`].
pub(super) fn remove_dangling_deletes(context: &ActionContext<'_>) -> Result<Produced> {
    context.progress.begin(Step::Planning, 0);
    let removed: Vec<WrittenFile> = dangling(context)?;
    if removed.is_empty() {
        return Ok(Produced::default());
    }
    let removal = Removal::Files(FilesByPath::new(&removed));
    let change = FileChange::new("replace", &[], Some(&removal)).of_attempt();
    change_files(context, change)
}

/// The dangling delete files, and their bytes. Nothing is written.
pub(super) fn count(context: &ActionContext<'_>) -> Result<RowCounts> {
    let found = dangling(context)?;
    let bytes = found.iter().map(|written| u64::try_from(written.file.file_size_in_bytes).unwrap_or(0));
    Ok(RowCounts { replaced_files: found.len() as u64, replaced_bytes: bytes.sum(), ..RowCounts::default() })
}

/// A delete file, and what it applies to.
struct Candidate {
    file: WrittenFile,
    sequence_number: i64,
    /// The partition; `None` if partitions of its spec cannot be compared.
    partition: Option<(i32, PartitionKey)>,
    /// Does it apply to all data files of the table that are old enough?
    is_global: bool,
}

/// What the live data files say.
#[derive(Default)]
struct LiveData {
    /// The lowest data sequence number of each partition, and of partitions that cannot be compared.
    by_partition: HashMap<(i32, PartitionKey), i64>,
    /// The lowest of all.
    least: Option<i64>,
    /// Of data files that deletes refer to.
    by_path: HashMap<String, i64>,
}

fn dangling(context: &ActionContext<'_>) -> Result<Vec<WrittenFile>> {
    let candidates = of_live_deletes(context, |entries| candidates(context, entries))?;
    if candidates.is_empty() {
        return Ok(Vec::new());
    }
    let referenced = candidates.iter().filter_map(|delete| delete.file.file.referenced_data_file.as_deref());
    let referenced: HashSet<&str> = referenced.map(canonical).collect();
    let wanted = EntryRequest { without_details: true, ..EntryRequest::default() };
    let manifests = base_manifests(context)?;
    let data = with_live_data(&manifests);
    let reader = context.reader;
    let parts = ordered(&data, reader.threads, &reader.cancel, |manifest| {
        let entries = context.entries(manifest, &wanted).context("manifest", &manifest.manifest_path)?;
        LiveData::of(context, &entries, &referenced)
    })?;
    let mut live = LiveData::default();
    for part in parts {
        live.add(part);
    }
    let dangling = candidates.into_iter().filter(|candidate| live.has_none_for(candidate));
    let dangling: Vec<WrittenFile> = dangling.map(|candidate| candidate.file).collect();
    let stays = ordered(&dangling, reader.threads, &reader.cancel, |written| {
        let file = &written.file;
        let Some(of) = file.referenced_data_file.as_deref().filter(|_| file.is_vector()) else {
            return Ok(None);
        };
        let location = reader.relocation.apply(&file.file_path);
        let place = (file.content_offset, file.content_size_in_bytes);
        why_vector_stays(reader.store.as_ref(), &location, place, of)
    })?;
    let goes = dangling.into_iter().zip(stays).filter(|(_, why)| why.is_none());
    Ok(goes.map(|(written, _)| written).collect())
}

fn candidates(context: &ActionContext<'_>, entries: &ManifestEntries) -> Result<Vec<Candidate>> {
    let specs = context.specs()?;
    let spec = specs.get(entries.spec_id)?;
    let is_comparable = spec.is_comparable(&entries.partition);
    let partitions = spec.partitions(&entries.partition)?;
    let candidate = |row: usize| {
        let file = listed_delete_file(entries, row)?;
        let key = || partitions.keys.get(*partitions.of.get(row)? as usize).cloned();
        Ok(Candidate {
            sequence_number: entries.data_sequence_number.value(row),
            partition: key().filter(|_| is_comparable).map(|key| (entries.spec_id, key)),
            is_global: file.file.content == FileContent::EqualityDeletes && spec.unpartitioned,
            file,
        })
    };
    (0..entries.len()).map(candidate).collect()
}

impl LiveData {
    fn of(
        context: &ActionContext<'_>,
        entries: &ManifestEntries,
        referenced: &HashSet<&str>,
    ) -> Result<Self> {
        let specs = context.specs()?;
        let partitions = specs.get(entries.spec_id)?.partitions(&entries.partition)?;
        let mut live = Self::default();
        for (row, number) in entries.data_sequence_number.values().iter().enumerate() {
            let path = canonical(entries.file_path.value(row));
            if referenced.contains(path) {
                put_least(&mut live.by_path, path.to_owned(), *number);
            }
            live.least = Some(live.least.map_or(*number, |least| least.min(*number)));
            let partition = partitions.of.get(row).and_then(|of| partitions.keys.get(*of as usize));
            if let Some(key) = partition {
                put_least(&mut live.by_partition, (entries.spec_id, key.clone()), *number);
            }
        }
        Ok(live)
    }

    fn add(&mut self, part: Self) {
        self.least = [self.least, part.least].into_iter().flatten().min();
        for (key, number) in part.by_partition {
            put_least(&mut self.by_partition, key, number);
        }
        for (path, number) in part.by_path {
            put_least(&mut self.by_path, path, number);
        }
    }

    /// Is no live data file in the scope of a delete file?
    fn has_none_for(&self, delete: &Candidate) -> bool {
        let oldest = match (&delete.file.file.referenced_data_file, &delete.partition) {
            (Some(path), _) => self.by_path.get(canonical(path)),
            (None, _) if delete.is_global => self.least.as_ref(),
            (None, Some(partition)) => self.by_partition.get(partition),
            (None, None) => self.least.as_ref(),
        };
        let is_newer = |oldest: i64| match delete.file.file.content {
            // Keys are deleted from older files alone, positions from files of the same snapshot too.
            FileContent::EqualityDeletes => oldest >= delete.sequence_number,
            FileContent::Data | FileContent::PositionDeletes => oldest > delete.sequence_number,
        };
        oldest.is_none_or(|oldest| is_newer(*oldest))
    }
}

fn put_least<K: std::hash::Hash + Eq>(numbers: &mut HashMap<K, i64>, key: K, number: i64) {
    numbers.entry(key).and_modify(|least| *least = number.min(*least)).or_insert(number);
}
