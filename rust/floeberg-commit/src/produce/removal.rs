//! What does an operation remove?
//!
//! In: a filter on rows, partitions, or names of files. Out: for each entry of a manifest, whether none, some or all of its rows
//! are removed.
//! Spec: Scan Planning; Commit Conflict Resolution and Retry.
//!
//! Invariant: every proof about a file comes from the one [`Pruner`].

use std::collections::HashSet;
use std::sync::Arc;

use floeberg_core::Result;
use floeberg_core::expr::BoundExpr;
use floeberg_core::value::{PartitionKey, Value};
use floeberg_iceberg::manifest::{
    ManifestContent, ManifestEntries, ManifestFile, PruneCounts, Pruner, RowsMatch, Specs,
};

use super::files_by_path::FilesByPath;
use crate::state::Counted;

/// What an operation removes.
#[derive(Debug)]
pub(crate) enum Removal {
    /// Rows that match, and the data files of which all do; `None` where these are not known.
    Rows(Box<Pruner>, Arc<Specs>, Option<FilesByPath>),
    /// Partitions, whole: spec and values.
    Partitions(Arc<Specs>, HashSet<(i32, PartitionKey)>),
    /// Files by their names.
    Files(FilesByPath),
}

impl Removal {
    /// The rows that match a filter, bound to the table's columns.
    pub fn rows(filter: BoundExpr, specs: Arc<Specs>) -> Self {
        Self::Rows(Box::new(Pruner::new(filter, &specs)), specs, None)
    }

    /// The same rows, with the data files all of whose rows are deleted.
    pub fn of_whole_files(self, files: FilesByPath) -> Self {
        match self {
            Self::Rows(pruner, specs, _) => Self::Rows(pruner, specs, Some(files)),
            other @ (Self::Partitions(..) | Self::Files(_)) => other,
        }
    }

    /// The columns whose statistics are used, ascending.
    pub fn columns(&self) -> Vec<i32> {
        let mut columns = match self {
            Self::Rows(pruner, ..) => pruner.whole().column_ids(),
            Self::Partitions(..) | Self::Files(_) => Vec::new(),
        };
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// The data files that are affected, where they are known by their names.
    pub fn known_data_files(&self) -> Option<&FilesByPath> {
        match self {
            Self::Rows(_, _, known) => known.as_ref(),
            Self::Files(files) => Some(files),
            Self::Partitions(..) => None,
        }
    }

    /// May any file of a manifest be affected?
    pub fn concerns(&self, manifest: &ManifestFile) -> Result<bool> {
        Ok(match self {
            Self::Partitions(_, partitions) => {
                partitions.iter().any(|(spec_id, _)| *spec_id == manifest.partition_spec_id)
            }
            Self::Rows(_, _, Some(known)) if manifest.content == ManifestContent::Data => {
                known.may_be_in(manifest)
            }
            Self::Rows(pruner, specs, _) => {
                pruner.may_list_matches(manifest, specs.get(manifest.partition_spec_id)?)
            }
            Self::Files(files) => files.may_be_in(manifest),
        })
    }

    /// Whether none, some or all rows of each entry's file are removed. The entries have the statistics of [`Self::columns`],
    /// unless the data files are known.
    pub fn rows_match(&self, entries: &ManifestEntries) -> Result<Vec<RowsMatch>> {
        match self {
            Self::Partitions(specs, partitions) => {
                let spec = specs.get(entries.spec_id)?;
                let found = spec.partitions(&entries.partition)?;
                let goes = |first: &usize| {
                    let values = spec.values(&entries.partition, *first)?;
                    let key = PartitionKey::new(values.iter().map(|(_, value)| value.as_ref()));
                    Ok(partitions.contains(&(entries.spec_id, key)))
                };
                let goes = found.rows.iter().map(goes).collect::<Result<Vec<bool>>>()?;
                let each = found.of.iter().map(|partition| goes[*partition as usize]);
                Ok(each.map(|goes| if goes { RowsMatch::All } else { RowsMatch::None }).collect())
            }
            Self::Rows(_, _, Some(known)) if entries.content == ManifestContent::Data => {
                known.rows_match(entries)
            }
            Self::Rows(pruner, specs, _) => {
                let spec = specs.get(entries.spec_id)?;
                pruner.rows_match(entries, spec, [&mut PruneCounts::default(), &mut PruneCounts::default()])
            }
            Self::Files(files) => files.rows_match(entries),
        }
    }

    /// Checks that all named files were removed. Errors: `CommitConflict`.
    pub fn check_found<'a>(&self, removed: impl Iterator<Item = &'a Counted>) -> Result<()> {
        match self {
            Self::Files(files) => files.check_found(removed),
            Self::Rows(..) | Self::Partitions(..) => Ok(()),
        }
    }

    /// The filter, for messages.
    pub fn describe(&self) -> String {
        match self {
            Self::Rows(pruner, ..) => format!("the filter {}", pruner.whole()),
            Self::Partitions(_, partitions) => format!("one of {} partitions", partitions.len()),
            Self::Files(files) => format!("one of {} files", files.len()),
        }
    }
}

/// The key of a partition of a spec.
pub(crate) fn partition_key(spec_id: i32, values: &[Option<Value>]) -> (i32, PartitionKey) {
    (spec_id, PartitionKey::new(values.iter().map(Option::as_ref)))
}
