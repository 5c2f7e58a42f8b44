//! May a row of the table match several rows of the source?

use std::collections::{HashMap, HashSet};

use arrow_array::UInt32Array;
use floeberg_core::{Error, Result};

use crate::change::FoundRows;
use crate::merge::clause::{Action, Clause, ClauseRows};
use crate::names::shown_value;
use crate::source::SourceRows;

/// The most keys that an error shows.
const SHOWN: usize = 3;

/// Is a row of the table that two rows of the source match an error, as in Spark and Iceberg Java?
///
/// It is not where nothing is done to matched rows, or all of them are deleted whatever their row of the source.
pub(super) fn matches_once(clauses: &[Clause]) -> bool {
    let matched: Vec<_> = clauses.iter().filter(|clause| clause.rows == ClauseRows::Matched).collect();
    match &matched[..] {
        [] => false,
        [only] => !(matches!(only.action, Action::Delete) && only.condition.is_none()),
        _ => true,
    }
}

/// The matched rows, each row of the table once.
///
/// `key_columns` are those of the source. Errors: `InvalidInput`, with keys, where `matches_once` and two rows of the source match a
/// row.
pub(super) fn each_once(
    found: &FoundRows<'_>,
    of_source: &UInt32Array,
    joined: Vec<u32>,
    matches_once: bool,
    source: &SourceRows,
    key_columns: &[usize],
) -> Result<Vec<u32>> {
    // As files are read, positions ascend.
    if joined.is_sorted_by(|one, next| found.positions[*one as usize] < found.positions[*next as usize]) {
        return Ok(joined);
    }
    let mut seen = HashSet::with_capacity(joined.len());
    let is_first: Vec<bool> = joined.iter().map(|row| seen.insert(found.positions[*row as usize])).collect();
    if is_first.iter().all(|first| *first) {
        return Ok(joined);
    }
    if matches_once {
        return Err(repeated(found, of_source, &joined, source, key_columns)?);
    }
    Ok(joined.into_iter().zip(is_first).filter(|(_, first)| *first).map(|(row, _)| row).collect())
}

fn repeated(
    found: &FoundRows<'_>,
    of_source: &UInt32Array,
    joined: &[u32],
    source: &SourceRows,
    key_columns: &[usize],
) -> Result<Error> {
    let mut counts: HashMap<u64, (u32, usize)> = HashMap::new();
    for row in joined {
        counts.entry(found.positions[*row as usize]).or_insert((*row, 0)).1 += 1;
    }
    let mut twice: Vec<u32> =
        counts.into_values().filter(|(_, count)| *count > 1).map(|(row, _)| row).collect();
    twice.sort_unstable();
    twice.truncate(SHOWN);
    let rows: Vec<u32> = twice.iter().map(|row| of_source.value(*row as usize)).collect();
    let mut shown = vec![Vec::new(); rows.len()];
    for column in key_columns {
        let values = source.take_column(*column, &rows)?;
        let name = source.schema().field(*column).name();
        for (row, shown) in shown.iter_mut().enumerate() {
            shown.push(format!("{name} = {}", shown_value(&values, row)?));
        }
    }
    let shown: Vec<String> = shown.into_iter().map(|key| key.join(", ")).collect();
    Ok(Error::invalid_input(format!(
        "more than one row of the source matches a row of the table: {}. Keep one of them for each, or make the predicate \
         stricter",
        shown.join("; ")
    )))
}
