//! Which ids and versions do new rows have?
//!
//! In: new fragments, and the fragments that some of their rows were in before. Out: sequences of ids and versions.
//! Spec: Lance, Stable Row IDs; `transaction/row_version.rs`.
//!
//! Invariant: a row that moves keeps its id and the version in which it came into the table; every other row gets the next id.
//! Without stable row ids nothing is written.

use std::collections::HashMap;

use floeberg_core::{Context as _, Error, Result};

use super::base::{Base, Numbers};
use crate::row_ids::{RowIdIndex, RowIds, RowVersions};
use crate::wire::{Fragment, Lineage, LineageOf};

/// The version of rows of which nobody knows it.
const FIRST_VERSION: u64 = 1;

/// Gives all rows of fragments new ids, and this version.
pub(super) fn number_rows(fragments: &mut [Fragment], numbers: &mut Numbers) -> Result<()> {
    let Some(mut next) = numbers.next_row_id else {
        remove_ids(fragments);
        return Ok(());
    };
    for fragment in fragments.iter_mut() {
        if fragment.row_ids.is_some() {
            return Err(Error::invalid_input("expected new rows without ids, found row ids"));
        }
        let end = end_of(next, fragment.physical_rows)?;
        fragment.row_ids = Some(Lineage::Inline(RowIds::range(next..end).to_bytes()));
        let versions = RowVersions::uniform(fragment.physical_rows, numbers.version).to_bytes();
        fragment.last_updated_at_versions = Some(Lineage::Inline(versions.clone()));
        fragment.created_at_versions = Some(Lineage::Inline(versions));
        next = end;
    }
    numbers.next_row_id = Some(next);
    Ok(())
}

/// Gives rows of fragments that have ids for their first rows this version as the last one that changed them, and the others new
/// ids. `sources` are the places of the fragments that the first rows were in.
pub(super) fn number_moved_rows(
    fragments: &mut [Fragment],
    base: &Base<'_>,
    sources: &[usize],
    numbers: &mut Numbers,
) -> Result<()> {
    let Some(mut next) = numbers.next_row_id else {
        remove_ids(fragments);
        return Ok(());
    };
    let known = Sources::of(base, sources)?;
    for fragment in fragments.iter_mut() {
        let rows = fragment.physical_rows;
        let moved = match &fragment.row_ids {
            None => Vec::new(),
            Some(Lineage::Inline(bytes)) => {
                let ids = RowIds::parse(bytes)?;
                match ids.len() {
                    Some(length) if length <= rows => ids.slice(0..length),
                    _ => return ids.check_length(rows),
                }
            }
            Some(Lineage::Column(_)) => return Err(hidden()),
        };
        let mut created: Vec<u64> = moved.iter().map(|id| known.created_at(*id)).collect::<Result<_>>()?;
        created.resize(rows as usize, numbers.version);
        let end = end_of(next, rows - moved.len() as u64)?;
        let ids = if moved.is_empty() {
            RowIds::range(next..end)
        } else {
            RowIds::new(&moved.into_iter().chain(next..end).collect::<Vec<_>>())
        };
        next = end;
        fragment.row_ids = Some(Lineage::Inline(ids.to_bytes()));
        fragment.created_at_versions = Some(Lineage::Inline(RowVersions::new(&created).to_bytes()));
        let versions = RowVersions::uniform(rows, numbers.version).to_bytes();
        fragment.last_updated_at_versions = Some(Lineage::Inline(versions));
    }
    numbers.next_row_id = Some(next);
    Ok(())
}

/// Rows of a table without stable ids have none.
fn remove_ids(fragments: &mut [Fragment]) {
    for fragment in fragments {
        fragment.row_ids = None;
        fragment.created_at_versions = None;
        fragment.last_updated_at_versions = None;
    }
}

fn end_of(next: u64, rows: u64) -> Result<u64> {
    next.checked_add(rows).ok_or_else(|| Error::limit("the table has no further row id"))
}

fn hidden() -> Error {
    Error::unsupported(
        "row ids in hidden columns of data files cannot be written by this version of Floeberg",
    )
}

/// Where rows were before, and since when they are in the table.
struct Sources {
    index: RowIdIndex,
    /// By place, where that is known.
    created: HashMap<usize, Vec<u64>>,
}

impl Sources {
    fn of(base: &Base<'_>, places: &[usize]) -> Result<Self> {
        let fragments = &base.manifest.fragments;
        let (mut sequences, mut created) = (Vec::with_capacity(places.len()), HashMap::new());
        for place in places {
            let (rows, id) = (fragments.physical_rows()[*place], fragments.ids()[*place]);
            let ids = match fragments.row_ids(*place) {
                LineageOf::Inline(bytes) => RowIds::parse(bytes)?,
                LineageOf::Column => return Err(hidden()),
                LineageOf::Absent => {
                    return Err(Error::invalid_data("expected row ids, found none").with("fragment", id));
                }
            };
            ids.check_length(rows).context("fragment", id)?;
            sequences.push((*place, ids));
            match fragments.created_at_versions(*place) {
                LineageOf::Inline(bytes) => {
                    let versions = RowVersions::parse(bytes)?;
                    versions.check_length(rows).context("fragment", id)?;
                    created.insert(*place, versions.slice(0..rows));
                }
                LineageOf::Column => return Err(hidden()),
                LineageOf::Absent => {}
            }
        }
        Ok(Self { index: RowIdIndex::new(sequences), created })
    }

    fn created_at(&self, id: u64) -> Result<u64> {
        let candidates = self.index.candidates(id);
        let Some((place, row)) = candidates.last() else {
            return Err(Error::invalid_input(format!(
                "expected the id of a row that is changed, found {id}, which no changed fragment has"
            )));
        };
        let versions = self.created.get(place);
        Ok(versions.and_then(|versions| versions.get(*row as usize)).copied().unwrap_or(FIRST_VERSION))
    }
}
