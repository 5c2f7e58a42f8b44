//! Does an operation take a file out?
//!
//! In: a filter on rows, or partitions. Out: for each entry of a manifest whether it goes, stays, or would have to be
//! rewritten.
//! Spec: Scan Planning; Commit Conflict Resolution and Retry.
//!
//! Invariant: a file goes only where it is proved that all its rows match, and stays only where it is proved that none
//! does.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use floeberg_core::Result;
use floeberg_core::expr::{BoundExpr, Residuals, may_match, must_match, project_inclusive};
use floeberg_core::value::{PartitionKey, Value};

use crate::manifest::{EntryStats, Specs, SummaryStats};
use crate::manifest::{ManifestEntries, ManifestFile};

/// What an operation takes out.
#[derive(Debug)]
pub(crate) enum Removal {
    /// Rows that match.
    Rows(RowFilter),
    /// Partitions, whole: spec and values.
    Partitions(Arc<Specs>, HashSet<(i32, PartitionKey)>),
}

/// A filter on rows, ready for the specs of a table.
#[derive(Debug)]
pub(crate) struct RowFilter {
    specs: Arc<Specs>,
    whole: BoundExpr,
    by_spec: HashMap<i32, (BoundExpr, Residuals)>,
}

/// What becomes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// None of its rows is taken out.
    Stays,
    /// All are.
    Goes,
    /// Some may be, and not all are known to be.
    Splits,
}

impl RowFilter {
    /// A filter that is bound to the table's columns.
    pub fn new(whole: BoundExpr, specs: Arc<Specs>) -> Self {
        let by_spec = specs.iter().map(|spec| {
            let projected = project_inclusive(&whole, &spec.columns);
            (spec.spec_id, (projected, Residuals::new(&whole, &spec.columns)))
        });
        Self { by_spec: by_spec.collect(), whole, specs }
    }
}

impl Removal {
    /// The columns whose statistics are looked at.
    pub fn columns(&self) -> Vec<i32> {
        match self {
            Self::Rows(filter) => filter.whole.column_ids(),
            Self::Partitions(..) => Vec::new(),
        }
    }

    /// Can any live file of a manifest be concerned?
    pub fn concerns(&self, manifest: &ManifestFile) -> Result<bool> {
        let specs = match self {
            Self::Rows(RowFilter { specs, .. }) | Self::Partitions(specs, _) => specs,
        };
        let spec = specs.get(manifest.partition_spec_id)?;
        Ok(match self {
            Self::Partitions(_, partitions) => partitions.iter().any(|(spec_id, _)| *spec_id == spec.spec_id),
            Self::Rows(filter) => match (filter.by_spec.get(&spec.spec_id), &manifest.partitions) {
                (Some((projected, _)), Some(summaries)) => {
                    may_match(projected, &SummaryStats { partition_type: &spec.partition_type, summaries })
                }
                _ => true,
            },
        })
    }

    /// What becomes of the file of an entry, whose columns of statistics were decoded.
    pub fn verdict(&self, entries: &ManifestEntries, row: usize) -> Result<Verdict> {
        let values = |specs: &Specs| specs.get(entries.spec_id)?.values(&entries.partition, row);
        match self {
            Self::Partitions(specs, partitions) => {
                let values = values(specs)?;
                let key = PartitionKey::new(values.iter().map(|(_, value)| value.as_ref()));
                let goes = partitions.contains(&(entries.spec_id, key));
                Ok(if goes { Verdict::Goes } else { Verdict::Stays })
            }
            Self::Rows(filter) => {
                let residual = match filter.by_spec.get(&entries.spec_id) {
                    Some((_, residuals)) => residuals.of(&values(&filter.specs)?),
                    None => filter.whole.clone(),
                };
                let stats = EntryStats { entries, row };
                let is_empty = entries.record_count.value(row) == 0 && residual != BoundExpr::True;
                Ok(if is_empty || !may_match(&residual, &stats) {
                    Verdict::Stays
                } else if must_match(&residual, &stats) {
                    Verdict::Goes
                } else {
                    Verdict::Splits
                })
            }
        }
    }

    /// The filter, for messages.
    pub fn told(&self) -> String {
        match self {
            Self::Rows(filter) => format!("the filter {}", filter.whole),
            Self::Partitions(_, partitions) => format!("one of {} partitions", partitions.len()),
        }
    }
}

/// The key of a partition of a spec.
pub(crate) fn partition_key(spec_id: i32, values: &[Option<Value>]) -> (i32, PartitionKey) {
    (spec_id, PartitionKey::new(values.iter().map(Option::as_ref)))
}
