//! Which deletion files does a commit need?
//!
//! In: rows to delete, found in one version, and the version that the commit is built on. Out: the fragments with new deletion
//! files, and those of which no row is left.
//! Spec: Lance, Transactions, Rebase; `io/commit/conflict_resolver.rs`, `finish_delete_update`.
//!
//! Invariant: a deletion file has all deleted rows of its fragment. A row that others deleted meanwhile is a conflict, also where it
//! was only moved.

use std::collections::{BTreeMap, HashMap};

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_io::random::draw;
use floeberg_io::{Store, location};
use roaring::RoaringBitmap;

use super::files::Files;
use crate::deletes::write;
use crate::table::Table;
use crate::wire::{DeletionFile, Fragment};

/// Rows by the ids of their fragments, as places in the fragment.
pub type RowsOf = BTreeMap<u64, RoaringBitmap>;

/// Deletion files that were written, by fragment and the file that they are made of.
pub(super) type Written = HashMap<(u64, Option<DeletionFile>), DeletionFile>;

/// Fragments after rows of them were deleted.
#[derive(Debug, Clone, Default)]
pub(super) struct Deleted {
    pub updated: Vec<Fragment>,
    pub removed: Vec<u64>,
}

/// Deletes rows that were found in the version `read` from the version `base`.
///
/// Errors: `CommitConflict`, which may be made anew, for rows that were changed meanwhile; `InvalidInput` for rows that `read` does
/// not have; those of the store.
pub(super) fn delete(
    rows: &RowsOf,
    read: &Table,
    base: &Table,
    written: &mut Written,
    files: &Files,
) -> Result<Deleted> {
    let mut deleted = Deleted::default();
    let (old, new) = (Places::of(read), Places::of(base));
    for (id, ours) in rows.iter().filter(|(_, ours)| !ours.is_empty()) {
        let read_place = old.place(*id).ok_or_else(|| unknown(*id))?;
        let physical_rows = read.manifest().fragments.physical_rows()[read_place];
        if ours.max().is_some_and(|row| u64::from(row) >= physical_rows) {
            return Err(unknown(*id));
        }
        let place = new.place(*id).ok_or_else(|| changed(*id, "is gone"))?;
        if base.version() != read.version() && !same_files(read, read_place, base, place)? {
            return Err(changed(*id, "has other files"));
        }
        let mut all = base.deleted_rows(place)?;
        if let Some(row) = (&all & ours).min() {
            return Err(changed(*id, &format!("lost or changed the row {row}")));
        }
        all |= ours;
        if all.len() == physical_rows {
            deleted.removed.push(*id);
            continue;
        }
        let before = base.manifest().fragments.deletion_file(place)?;
        let known = written.get(&(*id, before.clone())).cloned();
        let file = if let Some(file) = known {
            file
        } else {
            let file = write_new(base, *id, &all, files)?;
            written.insert((*id, before), file.clone());
            file
        };
        let mut fragment = base.fragment(place)?;
        fragment.deletion_file = Some(file);
        deleted.updated.push(fragment);
    }
    Ok(deleted)
}

fn write_new(base: &Table, id: u64, rows: &RoaringBitmap, files: &Files) -> Result<DeletionFile> {
    let (store, folder): (&dyn Store, _) = (base.store().as_ref(), base.bases().folder());
    let number = draw();
    for name in crate::deletes::names(id, base.version(), number) {
        files.record(&location::join(folder, &name));
    }
    write(store, folder, id, base.version(), number, rows)
}

fn same_files(read: &Table, read_place: usize, base: &Table, place: usize) -> Result<bool> {
    let (before, now) = (read.fragment(read_place)?, base.fragment(place)?);
    Ok(before.files == now.files && before.physical_rows == now.physical_rows)
}

fn unknown(id: u64) -> Error {
    Error::invalid_input(format!(
        "expected rows of a fragment of the version that was read, found fragment {id}"
    ))
}

fn changed(id: u64, how: &str) -> Error {
    let message = format!(
        "rows of fragment {id} were to be changed, and another commit was faster: the fragment {how}"
    );
    Error::new(ErrorKind::CommitConflict, message).retryable(true)
}

/// Fragments by their ids.
enum Places<'a> {
    Sorted(&'a [u64]),
    Map(HashMap<u64, usize>),
}

impl<'a> Places<'a> {
    fn of(table: &'a Table) -> Self {
        let ids = table.manifest().fragments.ids();
        if ids.is_sorted() {
            return Self::Sorted(ids);
        }
        Self::Map(ids.iter().enumerate().map(|(place, id)| (*id, place)).collect())
    }

    fn place(&self, id: u64) -> Option<usize> {
        match self {
            Self::Sorted(ids) => ids.binary_search(&id).ok(),
            Self::Map(places) => places.get(&id).copied(),
        }
    }
}
