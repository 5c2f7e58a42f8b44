//! What did planning look at, what did it drop, and why?
//!
//! Invariant: in every stage, the number that came in is the number dropped plus the number kept.

use crate::manifest::{ManifestFile, NamedTest, PruneCounts};

/// The account of one plan, for `explain`.
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
    /// Their paths, as written; empty unless they were requested.
    pub files: Vec<String>,
}

impl ReadManifests {
    /// The manifests that were kept. With `names`, their paths are kept too.
    pub(crate) fn of(data: &[ManifestFile], deletes: &[ManifestFile], names: bool) -> Self {
        let named = data.iter().chain(deletes).filter(|_| names);
        let lengths = data.iter().chain(deletes).map(|manifest| manifest.manifest_length);
        let lengths = lengths.map(|length| u64::try_from(length).unwrap_or(0));
        Self {
            data: data.len() as u64,
            deletes: deletes.len() as u64,
            bytes: lengths.fold(0, u64::saturating_add),
            files: named.map(|manifest| manifest.manifest_path.clone()).collect(),
        }
    }
}

/// One stage of planning.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stage {
    /// What was tested: `data manifests`, `delete manifests`, `data files by partition`, ...
    pub name: &'static str,
    /// How many came in.
    pub entered: u64,
    /// How many were dropped, and why.
    pub dropped: Vec<Dropped>,
    /// How many were kept.
    pub kept: u64,
}

impl Stage {
    /// The counts of a stage, with its tests by number.
    pub(crate) fn of(name: &'static str, counted: &PruneCounts, tests: &[NamedTest]) -> Self {
        let dropped = counted.dropped().map(|(test, reason, count, paths)| {
            let NamedTest { text, columns } = tests.get(test).cloned().unwrap_or_default();
            Dropped { by: text, reason, columns, count, files: paths.iter().cloned().collect() }
        });
        let dropped: Vec<Dropped> = dropped.collect();
        let gone: u64 = dropped.iter().map(|dropped| dropped.count).sum();
        Self { name, entered: counted.entered(), kept: counted.entered() - gone, dropped }
    }
}

/// A test that dropped some.
#[derive(Debug, Clone, PartialEq)]
pub struct Dropped {
    /// The test, as text; for counts, a description.
    pub by: String,
    /// Why: `partition summary`, `partition value`, `bounds`, `null count`, `NaN count`, `entry counts`, ...
    pub reason: &'static str,
    /// The full names of the columns that the test reads, by field id; none for counts.
    pub columns: Vec<String>,
    /// How many.
    pub count: u64,
    /// The paths of what was dropped, as written, each once and sorted; empty unless they were requested. For pairs of a data file
    /// and a delete, the paths of the deletes.
    pub files: Vec<String>,
}
