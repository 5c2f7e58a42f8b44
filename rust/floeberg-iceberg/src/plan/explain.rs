//! What did planning look at, what did it drop, and by what?
//!
//! Invariant: in every stage, what came in is what was dropped plus what was kept.

use std::collections::BTreeMap;

use crate::metadata::ManifestFile;

/// The account of one plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Explain {
    /// The snapshot that was planned; `None` for a table without one.
    pub snapshot_id: Option<i64>,
    /// The filter, as bound.
    pub filter: String,
    /// What happened, in order.
    pub stages: Vec<Stage>,
    /// Manifests that were looked into.
    pub manifests: ReadManifests,
    /// Delete files by kind that are attached to at least one data file.
    pub deletes: DeleteCounts,
    /// Data files to read.
    pub data_files: u64,
    /// Rows in them, before deletes and filter.
    pub records: u64,
    /// Bytes in them.
    pub bytes: u64,
}

/// Manifests that were looked into.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadManifests {
    /// How many list data files.
    pub data: u64,
    /// How many list delete files.
    pub deletes: u64,
    /// Bytes in all of them, as the manifest list says.
    pub bytes: u64,
}

impl ReadManifests {
    /// The manifests that were kept.
    pub(crate) fn of(data: &[ManifestFile], deletes: &[ManifestFile]) -> Self {
        let lengths = data.iter().chain(deletes).map(|manifest| manifest.manifest_length);
        let lengths = lengths.map(|length| u64::try_from(length).unwrap_or(0));
        Self {
            data: data.len() as u64,
            deletes: deletes.len() as u64,
            bytes: lengths.fold(0, u64::saturating_add),
        }
    }
}

/// One stage of planning.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stage {
    /// What was looked at: `data manifests`, `delete manifests`, `data files by partition`, ...
    pub name: &'static str,
    /// How many came in.
    pub entered: u64,
    /// How many were dropped, by what.
    pub dropped: Vec<Dropped>,
    /// How many were kept.
    pub kept: u64,
}

/// What dropped some.
#[derive(Debug, Clone, PartialEq)]
pub struct Dropped {
    /// The test, as text; for counts, what they say.
    pub by: String,
    /// Why: `partition summary`, `partition value`, `bounds`, `null count`, `NaN count`, `entry counts`, ...
    pub reason: &'static str,
    /// How many.
    pub count: u64,
}

/// Delete files by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeleteCounts {
    /// Position delete files.
    pub position: u64,
    /// Equality delete files.
    pub equality: u64,
    /// Deletion vectors.
    pub vectors: u64,
}

/// Counts what one stage drops, by test and reason.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    entered: u64,
    dropped: BTreeMap<(usize, &'static str), u64>,
}

impl Tally {
    /// Counts what comes in.
    pub fn enter(&mut self, count: usize) {
        self.entered += count as u64;
    }

    /// Counts what the test of a number drops.
    pub fn drop(&mut self, test: usize, reason: &'static str, count: usize) {
        if count > 0 {
            *self.dropped.entry((test, reason)).or_default() += count as u64;
        }
    }

    /// Did nothing come in?
    pub fn is_empty(&self) -> bool {
        self.entered == 0
    }

    /// Adds what another thread counted.
    pub fn merge(&mut self, other: &Self) {
        self.entered += other.entered;
        for (key, count) in &other.dropped {
            *self.dropped.entry(*key).or_default() += count;
        }
    }

    /// The stage, with the tests' texts by their numbers.
    pub fn stage(&self, name: &'static str, texts: &[String]) -> Stage {
        let dropped: Vec<_> = self
            .dropped
            .iter()
            .map(|((test, reason), count)| Dropped {
                by: texts.get(*test).cloned().unwrap_or_default(),
                reason,
                count: *count,
            })
            .collect();
        let gone: u64 = dropped.iter().map(|dropped| dropped.count).sum();
        Stage { name, entered: self.entered, dropped, kept: self.entered - gone }
    }
}
