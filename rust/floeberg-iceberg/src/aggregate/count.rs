//! How many rows does a plan return?
//!
//! In: a plan. Out: the count after deletes and filter.
//! Spec: Data File Fields (`record_count`); Deletion Vectors.
//!
//! Invariant: a file is counted by its metadata only if all its rows match and no delete applies. The counts of delete files are not
//! used: a position delete file may repeat positions and name other files, and it and a deletion vector may name rows that the
//! file does not have. So the positions are read.

use std::sync::atomic::{AtomicU64, Ordering};

use floeberg_core::expr::BoundExpr;
use floeberg_core::{Cancel, Result};

use super::{AggregateMetrics, AggregateResult};
use crate::manifest::RowsMatch;
use crate::plan::{DeleteKind, Plan, PlannedFile};
use crate::read::{TableReader, count_left, count_rows};
use floeberg_exec::threads::ordered;

/// Why a file must be looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Its rows are tested one by one.
    Filter,
    /// Its keys are looked up.
    EqualityDeletes,
    /// Its position delete files are read, but not the file.
    PositionDeletes,
    /// Its deletion vector is read, but not the file.
    Vector,
}

impl Reading {
    fn reason(self) -> &'static str {
        match self {
            Self::Filter => "filter",
            Self::EqualityDeletes => "equality deletes",
            Self::PositionDeletes => "position deletes",
            Self::Vector => "deletion vectors",
        }
    }
}

/// Counts the rows of a plan, at most `limit` of them.
///
/// Errors: those of reading, where files must be read.
pub(crate) fn count(
    plan: &Plan,
    reader: &TableReader,
    limit: Option<u64>,
    threads: usize,
    cancel: &Cancel,
) -> Result<AggregateResult<u64>> {
    let mut metrics = AggregateMetrics::default();
    let mut rows: u64 = 0;
    let mut left = Vec::new();
    plan.for_each_file(|mut file| {
        metrics.files += 1;
        if reader.gives_deleted_rows() {
            file.deletes.clear();
        }
        match known(&file) {
            Ok(known) => {
                metrics.by_metadata += 1;
                rows = rows.saturating_add(known);
            }
            Err(reading) => left.push((file.number, reading)),
        }
        Ok(())
    })?;
    let most = limit.unwrap_or(u64::MAX);
    let rows = AtomicU64::new(rows);
    let read = ordered(&left, threads, cancel, |(number, reading)| {
        // Rows over the limit do not count.
        if rows.load(Ordering::Relaxed) >= most {
            return Ok(false);
        }
        let task = plan.task(*number)?;
        let counted = match reading {
            Reading::PositionDeletes | Reading::Vector => count_left(reader, &task)?,
            Reading::Filter | Reading::EqualityDeletes => count_rows(reader, &task)?,
        };
        rows.fetch_add(counted, Ordering::Relaxed);
        Ok(true)
    })?;
    for ((_, reading), was_read) in left.iter().zip(read) {
        if was_read { metrics.reads(reading.reason()) } else { metrics.not_needed += 1 }
    }
    Ok(AggregateResult { value: rows.into_inner().min(most), metrics })
}

/// The rows of a file by its metadata, or why that is not enough.
pub(super) fn known(file: &PlannedFile<'_>) -> Result<u64, Reading> {
    match file.rows_match() {
        RowsMatch::None => Ok(0),
        RowsMatch::All => Ok(file.rows),
        RowsMatch::Some if *file.residual != BoundExpr::True => Err(Reading::Filter),
        RowsMatch::Some => {
            Err(file.deletes.iter().fold(Reading::Vector, |reading, delete| match (reading, &delete.kind) {
                (Reading::EqualityDeletes, _) | (_, DeleteKind::Equality { .. }) => Reading::EqualityDeletes,
                (_, DeleteKind::Position) => Reading::PositionDeletes,
                (_, DeleteKind::Vector { .. }) => Reading::Vector,
            }))
        }
    }
}
