//! How many rows does a plan yield?
//!
//! In: a plan. Out: the count after deletes and filter.
//! Spec: Data File Fields (`record_count`); Deletion Vectors.
//!
//! Invariant: a file is counted by its metadata only where its rows match as a whole and nothing but a deletion vector
//! deletes some. A position delete file may repeat positions and name other files: its own count says nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use floeberg_core::expr::BoundExpr;
use floeberg_core::{Cancel, Error, Result};

use super::{Account, Answered};
use crate::plan::{DeleteKind, Glance, Plan};
use crate::read::{ReadRequest, count_left, count_rows};
use crate::threads::ordered;

/// Why a file must be looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Its rows are tested one by one.
    Filter,
    /// Its keys are looked up.
    EqualityDeletes,
    /// Its deletes by position are read, and it is not.
    PositionDeletes,
}

impl Reading {
    fn reason(self) -> &'static str {
        match self {
            Self::Filter => "filter",
            Self::EqualityDeletes => "equality deletes",
            Self::PositionDeletes => "position deletes",
        }
    }
}

/// Counts the rows of a plan, at most `limit` of them.
///
/// Errors: `InvalidData` for a vector that deletes more rows than there are; those of reading, where files must be read.
pub(crate) fn count(
    plan: &Plan,
    request: &Arc<ReadRequest>,
    limit: Option<u64>,
    threads: usize,
    cancel: &Cancel,
) -> Result<Answered<u64>> {
    let mut account = Account::default();
    let mut rows: u64 = 0;
    let mut left = Vec::new();
    plan.glance(|mut file| {
        account.files += 1;
        if request.gives_deleted_rows() {
            file.deletes.clear();
        }
        match known(&file)? {
            Ok(known) => {
                account.by_metadata += 1;
                rows = rows.saturating_add(known);
            }
            Err(reading) => left.push((file.number, reading)),
        }
        Ok(())
    })?;
    let most = limit.unwrap_or(u64::MAX);
    let rows = AtomicU64::new(rows);
    let read = ordered(&left, threads, cancel, |(number, reading)| {
        // What is over the limit changes nothing.
        if rows.load(Ordering::Relaxed) >= most {
            return Ok(false);
        }
        let task = plan.task(*number)?;
        let counted = match reading {
            Reading::PositionDeletes => count_left(request, &task)?,
            Reading::Filter | Reading::EqualityDeletes => count_rows(request, &task)?,
        };
        rows.fetch_add(counted, Ordering::Relaxed);
        Ok(true)
    })?;
    for ((_, reading), was_read) in left.iter().zip(read) {
        if was_read { account.reads(reading.reason()) } else { account.not_needed += 1 }
    }
    Ok(Answered { value: rows.into_inner().min(most), account })
}

/// The rows of a file by its metadata, or why these do not tell.
pub(super) fn known(file: &Glance<'_>) -> Result<Result<u64, Reading>> {
    match file.residual {
        BoundExpr::True => {}
        BoundExpr::False => return Ok(Ok(0)),
        _ => return Ok(Err(Reading::Filter)),
    }
    let mut rows = file.rows;
    let mut reading = None;
    for delete in &file.deletes {
        match delete.kind {
            DeleteKind::Equality { .. } => return Ok(Err(Reading::EqualityDeletes)),
            DeleteKind::Position => reading = Some(Reading::PositionDeletes),
            DeleteKind::Vector { .. } => {
                let gone = u64::try_from(delete.record_count).ok();
                rows = gone.and_then(|gone| rows.checked_sub(gone)).ok_or_else(|| {
                    Error::invalid_data(format!(
                        "a deletion vector deletes {} rows of a data file that has {rows}",
                        delete.record_count
                    ))
                    .with("path", &delete.file_path)
                })?;
            }
        }
    }
    Ok(reading.map_or(Ok(rows), Err))
}
