//! How does a snapshot summarize its changes?
//!
//! In: added and removed files, manifests, and the summary of the parent snapshot. Out: the summary.
//! Spec: Appendix F, Optional Snapshot Summary Fields.
//!
//! Invariant: names and rules are Iceberg Java's: a count of 0 is left out, and so is a total
//! that the parent snapshot does not have.

use std::collections::{BTreeMap, HashMap, HashSet};

use arrow_array::Array as _;
use floeberg_core::value::{PartitionKey, Value};
use floeberg_core::{Error, Result};
use floeberg_iceberg::manifest::{DataFile, FileContent, ManifestEntries, ManifestFile};
use floeberg_iceberg::metadata::Snapshot;

/// What is counted of a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Counted {
    pub spec_id: i32,
    pub content: FileContent,
    pub is_vector: bool,
    pub file_path: String,
    pub partition: Vec<Option<Value>>,
    pub record_count: i64,
    /// Where a deletion vector is in its file.
    pub content_offset: Option<i64>,
    /// The size of the file. For a deletion vector, the size of its blob, since several vectors share a file.
    pub bytes: i64,
}

impl Counted {
    pub fn of(spec_id: i32, file: &DataFile) -> Self {
        let blob = file.content_size_in_bytes.filter(|_| file.is_vector());
        Self {
            spec_id,
            content: file.content,
            is_vector: file.is_vector(),
            file_path: file.file_path.clone(),
            partition: file.partition.clone(),
            record_count: file.record_count,
            content_offset: file.content_offset,
            bytes: blob.unwrap_or(file.file_size_in_bytes),
        }
    }
}

/// Files and rows on one side of a change.
#[derive(Debug, Clone, Copy, Default)]
struct Side {
    bytes: i64,
    files: i64,
    records: i64,
    delete_files: i64,
    equality_files: i64,
    position_files: i64,
    vectors: i64,
    position_deletes: i64,
    equality_deletes: i64,
}

impl Side {
    fn add(&mut self, file: &Counted) {
        self.count(file.content, file.is_vector, file.record_count, file.bytes);
    }

    fn count(&mut self, content: FileContent, is_vector: bool, records: i64, bytes: i64) {
        let add = |sum: &mut i64, part: i64| *sum = sum.saturating_add(part);
        add(&mut self.bytes, bytes);
        match content {
            FileContent::Data => {
                self.files += 1;
                add(&mut self.records, records);
            }
            FileContent::PositionDeletes => {
                self.delete_files += 1;
                *(if is_vector { &mut self.vectors } else { &mut self.position_files }) += 1;
                add(&mut self.position_deletes, records);
            }
            FileContent::EqualityDeletes => {
                self.delete_files += 1;
                self.equality_files += 1;
                add(&mut self.equality_deletes, records);
            }
        }
    }

    /// The totals, in the order of [`TOTALS`].
    fn totals(&self) -> [i64; 6] {
        [
            self.records,
            self.bytes,
            self.files,
            self.delete_files,
            self.position_deletes,
            self.equality_deletes,
        ]
    }
}

/// What was added and what was removed.
#[derive(Debug, Clone, Copy, Default)]
struct Change {
    added: Side,
    removed: Side,
}

impl Change {
    /// Names and counts, in the order of the specification, without counts of 0.
    fn counts(&self) -> impl Iterator<Item = (&'static str, i64)> {
        let (added, removed) = (&self.added, &self.removed);
        [
            ("added-data-files", added.files),
            ("deleted-data-files", removed.files),
            ("added-equality-delete-files", added.equality_files),
            ("removed-equality-delete-files", removed.equality_files),
            ("added-position-delete-files", added.position_files),
            ("removed-position-delete-files", removed.position_files),
            ("added-delete-files", added.delete_files),
            ("removed-delete-files", removed.delete_files),
            ("added-dvs", added.vectors),
            ("removed-dvs", removed.vectors),
            ("added-records", added.records),
            ("deleted-records", removed.records),
            ("added-files-size", added.bytes),
            ("removed-files-size", removed.bytes),
            ("added-position-deletes", added.position_deletes),
            ("removed-position-deletes", removed.position_deletes),
            ("added-equality-deletes", added.equality_deletes),
            ("removed-equality-deletes", removed.equality_deletes),
        ]
        .into_iter()
        .filter(|(_, count)| *count > 0)
    }
}

/// A total, with the counts that add to it and subtract from it.
const TOTALS: [[&str; 3]; 6] = [
    ["total-records", "added-records", "deleted-records"],
    ["total-files-size", "added-files-size", "removed-files-size"],
    ["total-data-files", "added-data-files", "deleted-data-files"],
    ["total-delete-files", "added-delete-files", "removed-delete-files"],
    ["total-position-deletes", "added-position-deletes", "removed-position-deletes"],
    ["total-equality-deletes", "added-equality-deletes", "removed-equality-deletes"],
];

/// A partition with added or removed files.
#[derive(Debug)]
struct ChangedPartition {
    values: Vec<Option<Value>>,
    change: Change,
}

/// A summary in the making.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    whole: Change,
    /// By spec, and values as they are compared.
    partitions: HashMap<(i32, PartitionKey), ChangedPartition>,
    /// Removed data files, by path.
    removed: HashSet<String>,
    /// The removed files that a manifest lists again.
    repeated: u64,
    more: BTreeMap<String, String>,
    /// All live files of the snapshot, if they were counted.
    live: Option<Side>,
}

impl Summary {
    /// Counts an added file.
    pub fn add(&mut self, file: &Counted) {
        self.change(file, |change| &mut change.added);
    }

    /// Counts a removed file.
    pub fn remove(&mut self, file: &Counted) {
        if file.content == FileContent::Data && !self.removed.insert(file.file_path.clone()) {
            self.repeated += 1;
            return;
        }
        self.change(file, |change| &mut change.removed);
    }

    fn change(&mut self, file: &Counted, side: impl Fn(&mut Change) -> &mut Side) {
        side(&mut self.whole).add(file);
        let key = (file.spec_id, PartitionKey::new(file.partition.iter().map(Option::as_ref)));
        let new = || ChangedPartition { values: file.partition.clone(), change: Change::default() };
        let partition = self.partitions.entry(key).or_insert_with(new);
        side(&mut partition.change).add(file);
    }

    /// Totals are those of the live files that are counted from now on, and not those of the parent with the change.
    pub fn begin_live(&mut self) {
        self.live = Some(Side::default());
    }

    /// Counts live files. Errors: `Internal` without the details of entries.
    pub fn count_live(&mut self, entries: &ManifestEntries) -> Result<()> {
        let sizes = &entries.details()?.content_size_in_bytes;
        let live = self.live.get_or_insert_default();
        for row in 0..entries.len() {
            let content = match entries.file_content.value(row) {
                0 => FileContent::Data,
                1 => FileContent::PositionDeletes,
                _ => FileContent::EqualityDeletes,
            };
            let is_vector = content == FileContent::PositionDeletes
                && entries.file_format.value(row).eq_ignore_ascii_case("puffin");
            let blob = (is_vector && sizes.is_valid(row)).then(|| sizes.value(row));
            live.count(
                content,
                is_vector,
                entries.record_count.value(row),
                blob.unwrap_or_else(|| entries.file_size_in_bytes.value(row)),
            );
        }
        Ok(())
    }

    /// Adds live files that were counted elsewhere.
    pub fn add_live(&mut self, other: &Self) {
        let Some(more) = other.live else { return };
        let live = self.live.get_or_insert_default();
        let add = |sum: &mut i64, part: i64| *sum = sum.saturating_add(part);
        add(&mut live.bytes, more.bytes);
        add(&mut live.files, more.files);
        add(&mut live.records, more.records);
        add(&mut live.delete_files, more.delete_files);
        add(&mut live.position_deletes, more.position_deletes);
        add(&mut live.equality_deletes, more.equality_deletes);
    }

    /// Counts the manifests of the snapshot.
    pub fn count_manifests(&mut self, manifests: &[ManifestFile], snapshot_id: i64, replaced: usize) {
        let created = manifests.iter().filter(|file| file.added_snapshot_id == Some(snapshot_id)).count();
        for (name, count) in [
            ("manifests-created", created),
            ("manifests-kept", manifests.len() - created),
            ("manifests-replaced", replaced),
        ] {
            self.more.insert(name.to_owned(), count.to_string());
        }
    }

    /// Adds another entry.
    pub fn say(&mut self, name: &str, value: &str) {
        self.more.insert(name.to_owned(), value.to_owned());
    }

    /// The summary after a snapshot. Up to that many partitions are described one by one, under the folder that `path` gives to
    /// their values.
    ///
    /// Errors: those of `path`.
    pub fn finish(
        self,
        before: Option<&Snapshot>,
        most_partitions: u64,
        path: impl Fn(i32, &[Option<Value>]) -> Result<String>,
    ) -> Result<BTreeMap<String, String>> {
        let mut summary = self.more;
        let text = |(name, count): (&str, i64)| (name.to_owned(), count.to_string());
        summary.extend(self.whole.counts().map(text));
        summary.insert("changed-partition-count".to_owned(), self.partitions.len().to_string());
        if !self.partitions.is_empty() && self.partitions.len() as u64 <= most_partitions {
            summary.insert("partition-summaries-included".to_owned(), "true".to_owned());
            for ((spec_id, _), ChangedPartition { values, change }) in &self.partitions {
                let path = path(*spec_id, values)?;
                if !path.is_empty() {
                    let counts: Vec<_> =
                        change.counts().map(|(name, count)| format!("{name}={count}")).collect();
                    summary.insert(format!("partitions.{path}"), counts.join(","));
                }
            }
        }
        if self.repeated > 0 {
            summary.insert("deleted-duplicate-files".to_owned(), self.repeated.to_string());
        }
        for ([total, added, removed], counted) in TOTALS.into_iter().zip(0..) {
            if let Some(live) = &self.live {
                summary.insert(total.to_owned(), live.totals()[counted].to_string());
                continue;
            }
            let known = match before {
                None => Some(0),
                Some(snapshot) => snapshot.summary.get(total).and_then(|text| text.parse::<i64>().ok()),
            };
            let part = |name: &str| summary.get(name).and_then(|text| text.parse::<i64>().ok()).unwrap_or(0);
            let after = known.and_then(|known| known.checked_add(part(added))?.checked_sub(part(removed)));
            if let Some(after) = after.filter(|after| *after >= 0) {
                summary.insert(total.to_owned(), after.to_string());
            }
        }
        Ok(summary)
    }
}

/// Errors: `InvalidInput` for a property of the user that is reserved in a summary.
pub(crate) fn check_properties(properties: &BTreeMap<String, String>) -> Result<()> {
    let is_own = |name: &str| {
        TOTALS.iter().flatten().any(|own| *own == name)
            || ["operation", "changed-partition-count", "partition-summaries-included"].contains(&name)
            || ["manifests-created", "manifests-kept", "manifests-replaced"].contains(&name)
            || ["added-dvs", "removed-dvs", "replace-partitions", "deleted-duplicate-files"].contains(&name)
            || ["equality-delete-files", "position-delete-files"].iter().any(|kind| {
                name.strip_prefix("added-").or_else(|| name.strip_prefix("removed-")) == Some(*kind)
            })
            || ["source-snapshot-id", "published-wap-id"].contains(&name)
            || name.starts_with("partitions.")
            || name.starts_with("floeberg.published-commit-")
    };
    match properties.keys().find(|name| is_own(name)) {
        Some(name) => Err(Error::invalid_input(format!(
            "the snapshot property {name:?} is reserved, since Floeberg writes it: use another name"
        ))),
        None => Ok(()),
    }
}
