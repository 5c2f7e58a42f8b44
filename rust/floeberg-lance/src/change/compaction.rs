//! Which fragments are better written as one, and which operation does it?
//!
//! In: a version. Out: groups of neighbours; and an operation, once their rows are written.
//! Spec: Lance, Compaction; `dataset/optimize.rs`.
//!
//! Invariant: rows stay in their order, and keep their ids and versions.

use floeberg_core::{Context as _, Error, Result};

use super::rows::{NewFile, data_version, fields, fragments};
use crate::build::is_of_user;
use crate::metadata::layout_of;
use crate::row_ids::{RowIds, RowVersions};
use crate::table::Table;
use crate::wire::{CreateIndex, Fragment, Lineage, Operation, Rewrite, RewriteGroup};

/// Fragments that become others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactionGroup {
    /// Their places in the version.
    pub places: Vec<usize>,
    /// Their rows that are not deleted.
    pub rows: u64,
}

/// Groups of neighbours that are too small, or of which too many rows are deleted.
///
/// A fragment is too small below `target_rows`, and has too many deletes from a share of `deletions` on: 0.1 is a tenth. What is alone
/// in its group and has too few deletes stays. Errors: `InvalidData`; those of the store.
pub fn plan_compaction(table: &Table, target_rows: u64, deletions: f64) -> Result<Vec<CompactionGroup>> {
    if target_rows == 0 {
        return Err(Error::invalid_input("expected at least one row a fragment, found 0"));
    }
    let listed = &table.manifest().fragments;
    let mut groups = Vec::new();
    let mut open = CompactionGroup { places: Vec::new(), rows: 0 };
    let mut close = |open: &mut CompactionGroup, has_deletes: bool| {
        let group = std::mem::replace(open, CompactionGroup { places: Vec::new(), rows: 0 });
        if group.places.len() > 1 || (has_deletes && !group.places.is_empty()) {
            groups.push(group);
        }
    };
    let mut has_deletes = false;
    for place in 0..listed.len() {
        let physical = listed.physical_rows()[place];
        let deleted = if listed.has_deletion_file(place) { table.deleted_rows(place)?.len() } else { 0 };
        let live = physical.saturating_sub(deleted);
        let is_dirty = deleted > 0 && deleted as f64 >= deletions * physical as f64;
        if physical >= target_rows && !is_dirty {
            close(&mut open, has_deletes);
            has_deletes = false;
            continue;
        }
        if !open.places.is_empty() && open.rows + live > target_rows {
            close(&mut open, has_deletes);
            has_deletes = false;
        }
        open.places.push(place);
        open.rows += live;
        has_deletes |= is_dirty;
    }
    close(&mut open, has_deletes);
    Ok(groups)
}

/// Replaces fragments by files with their rows that are not deleted, in order. Each group has its files.
///
/// Errors: `InvalidInput` where rows are missing; `InvalidData`; those of the store.
pub fn compact(table: &Table, groups: &[(CompactionGroup, Vec<NewFile>)]) -> Result<Operation> {
    let layout = layout_of(fields(table), &data_version(table)?)?;
    let mut rewritten = Vec::with_capacity(groups.len());
    for (group, files) in groups {
        let mut new_fragments = fragments(files, &layout);
        let rows: u64 = new_fragments.iter().map(|fragment| fragment.physical_rows).sum();
        if rows != group.rows {
            return Err(Error::invalid_input(format!(
                "expected {} rows of the compacted fragments, found {rows}",
                group.rows
            )));
        }
        carry_lineage(table, &group.places, &mut new_fragments)?;
        let old = group.places.iter().map(|place| table.fragment(*place));
        rewritten.push(RewriteGroup {
            old_fragments: old.collect::<Result<_>>()?,
            new_fragments,
            ..RewriteGroup::default()
        });
    }
    Ok(Operation::Rewrite(Rewrite { groups: rewritten, ..Rewrite::default() }))
}

/// Gives the rows of new fragments the ids and versions that they have.
fn carry_lineage(table: &Table, places: &[usize], new: &mut [Fragment]) -> Result<()> {
    let (mut ids, mut created, mut updated) = (Vec::new(), Vec::new(), Vec::new());
    let mut are_stable = false;
    for place in places {
        let rows = table.manifest().fragments.physical_rows()[*place];
        let deleted = table.deleted_rows(*place)?;
        let is_live = |row: &(u64, u64)| !deleted.contains(row.1 as u32);
        let live = |values: Vec<u64>| -> Vec<u64> {
            values.into_iter().zip(0..rows).filter(is_live).map(|(value, _)| value).collect()
        };
        let Some(of_rows) = table.row_ids(*place)? else { continue };
        are_stable = true;
        ids.extend(live(of_rows.slice(0..rows)));
        // What nobody says is the first version.
        let versions = |found: Option<RowVersions>| {
            found.map_or_else(|| vec![1; rows as usize], |versions| versions.slice(0..rows))
        };
        created.extend(live(versions(table.created_at_versions(*place)?)));
        updated.extend(live(versions(table.last_updated_at_versions(*place)?)));
    }
    if !are_stable {
        return Ok(());
    }
    let mut start = 0;
    for fragment in new {
        let end = start + fragment.physical_rows as usize;
        let part = |values: &[u64]| -> Result<Vec<u64>> {
            let part = values.get(start..end).map(<[u64]>::to_vec);
            part.ok_or_else(|| Error::invalid_input("expected an id for each compacted row, found fewer"))
        };
        let inline = |bytes: Vec<u8>| Some(Lineage::Inline(bytes));
        fragment.row_ids = inline(RowIds::new(&part(&ids)?).to_bytes());
        fragment.created_at_versions = inline(RowVersions::new(&part(&created)?).to_bytes());
        fragment.last_updated_at_versions = inline(RowVersions::new(&part(&updated)?).to_bytes());
        start = end;
    }
    Ok(())
}

/// Removes all indices that users built; `None` where there are none. Errors: `InvalidData`; those of the store.
pub fn drop_indices(table: &Table) -> Result<Option<Operation>> {
    let removed: Vec<_> =
        table.indices().context("path", table.manifest_location())?.into_iter().filter(is_of_user).collect();
    Ok((!removed.is_empty())
        .then(|| Operation::CreateIndex(CreateIndex { removed_indices: removed, ..CreateIndex::default() })))
}
