//! Which fragments follow from a compaction?
//!
//! In: a version, and groups of fragments with those that replace them. Out: the fragments of the next version.
//! Spec: Lance, Transactions: Rewrite.
//!
//! Invariant: the new fragments have the rows of the old ones that are not deleted, in their order, with their ids and versions.

use floeberg_core::{Context as _, Error, Result};
use roaring::RoaringBitmap;

use super::base::{Base, Numbers};
use super::coverage::check_uncovered;
use super::edits::Edits;
use super::rows::{check_new, gone};
use crate::row_ids::RowIds;
use crate::wire::{Fragment, Lineage, Rewrite};

/// Puts fragments in the place of others.
pub(super) fn rewrite(
    operation: &Rewrite,
    base: &Base<'_>,
    edits: &mut Edits<'_>,
    numbers: &mut Numbers,
) -> Result<()> {
    let places = base.places();
    let mut replaced = RoaringBitmap::new();
    for group in &operation.groups {
        for old in &group.old_fragments {
            let place = *places.get(&old.id).ok_or_else(|| gone(old.id))?;
            if !replaced.insert(old.id as u32) {
                return Err(Error::invalid_input(format!("fragment {} is compacted twice", old.id)));
            }
            edits.remove(place);
        }
        for new in &group.new_fragments {
            check_new(new)?;
            check_ids(new, numbers).context("fragment", new.id)?;
            let mut fragment = new.clone();
            // 0 says that no id was reserved.
            if fragment.id == 0 {
                numbers.number(&mut fragment)?;
            }
            edits.add([fragment]);
        }
    }
    check_uncovered(base, &replaced)
}

fn check_ids(fragment: &Fragment, numbers: &Numbers) -> Result<()> {
    match (&fragment.row_ids, numbers.next_row_id) {
        (Some(Lineage::Inline(bytes)), Some(_)) => RowIds::parse(bytes)?.check_length(fragment.physical_rows),
        (None, None) => Ok(()),
        (None, Some(_)) => Err(Error::invalid_input("expected the row ids of compacted rows, found none")),
        (Some(_), _) => {
            Err(Error::invalid_input("expected no row ids, or ids in the manifest, found others"))
        }
    }
}
