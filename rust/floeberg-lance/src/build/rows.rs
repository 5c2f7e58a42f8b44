//! Which fragments follow from operations on rows?
//!
//! In: a version, and rows that are added, deleted, changed or replaced. Out: the fragments of the next version.
//! Spec: Lance, Transactions: Append, Delete, Update, Overwrite.
//!
//! Invariant: of a fragment that loses rows only the deletion file changes.

use std::collections::HashMap;

use floeberg_core::{Error, Result};

use super::base::{Base, Numbers};
use super::edits::Edits;
use super::lineage::{number_moved_rows, number_rows};
use crate::wire::{Append, Delete, Fragment, Overwrite, Update};

/// Adds fragments.
pub(super) fn append(operation: &Append, edits: &mut Edits<'_>, numbers: &mut Numbers) -> Result<()> {
    edits.add(new_fragments(&operation.fragments, numbers)?);
    Ok(())
}

/// Deletes rows and fragments.
pub(super) fn delete(operation: &Delete, base: &Base<'_>, edits: &mut Edits<'_>) -> Result<()> {
    let places = base.places();
    change_deletes(&operation.updated_fragments, base, &places, edits)?;
    remove(&operation.deleted_fragment_ids, &places, edits)
}

/// Deletes rows whose new values are in new fragments, and adds these.
pub(super) fn update(
    operation: &Update,
    base: &Base<'_>,
    edits: &mut Edits<'_>,
    numbers: &mut Numbers,
) -> Result<()> {
    if operation.update_mode != 0 || !operation.fields_modified.is_empty() {
        return Err(Error::unsupported(
            "columns of fragments cannot be replaced by an update in this version",
        ));
    }
    let places = base.places();
    change_deletes(&operation.updated_fragments, base, &places, edits)?;
    remove(&operation.removed_fragment_ids, &places, edits)?;
    let changed = operation.updated_fragments.iter().map(|fragment| fragment.id);
    let changed = changed.chain(operation.removed_fragment_ids.iter().copied());
    let mut sources: Vec<usize> = changed.filter_map(|id| places.get(&id).copied()).collect();
    sources.sort_unstable_by_key(|place| base.manifest.fragments.ids()[*place]);
    let mut fragments = operation.new_fragments.clone();
    for fragment in &mut fragments {
        check_new(fragment)?;
        numbers.number(fragment)?;
    }
    number_moved_rows(&mut fragments, base, &sources, numbers)?;
    edits.add(fragments);
    Ok(())
}

/// The fragments that replace all others.
pub(super) fn overwrite(operation: &Overwrite, numbers: &mut Numbers) -> Result<Vec<Fragment>> {
    new_fragments(&operation.fragments, numbers)
}

fn new_fragments(fragments: &[Fragment], numbers: &mut Numbers) -> Result<Vec<Fragment>> {
    let mut fragments = fragments.to_vec();
    for fragment in &mut fragments {
        check_new(fragment)?;
        numbers.number(fragment)?;
    }
    number_rows(&mut fragments, numbers)?;
    Ok(fragments)
}

/// A fragment without rows, or whose rows are not known, is not added.
pub(super) fn check_new(fragment: &Fragment) -> Result<()> {
    if fragment.physical_rows == 0 || fragment.physical_rows > u64::from(u32::MAX) {
        return Err(Error::invalid_input(format!(
            "expected new fragments of 1 to 2^32 - 1 rows, found one of {}",
            fragment.physical_rows
        )));
    }
    if fragment.deletion_file.is_some() {
        return Err(Error::invalid_input("expected new fragments without deletes, found a deletion file"));
    }
    match fragment.files.iter().find(|file| file.path.is_empty() || file.size_bytes == 0) {
        None => Ok(()),
        Some(file) => Err(Error::invalid_input(format!(
            "expected the path and the size of a new data file, found {:?} of {} bytes",
            file.path, file.size_bytes
        ))),
    }
}

fn change_deletes(
    updated: &[Fragment],
    base: &Base<'_>,
    places: &HashMap<u64, usize>,
    edits: &mut Edits<'_>,
) -> Result<()> {
    for after in updated {
        let place = *places.get(&after.id).ok_or_else(|| gone(after.id))?;
        let mut fragment = base.manifest.fragments.fragment(place)?;
        fragment.deletion_file.clone_from(&after.deletion_file);
        edits.change(place, fragment);
    }
    Ok(())
}

fn remove(ids: &[u64], places: &HashMap<u64, usize>, edits: &mut Edits<'_>) -> Result<()> {
    for id in ids {
        edits.remove(*places.get(id).ok_or_else(|| gone(*id))?);
    }
    Ok(())
}

/// The conflict check lets nothing through whose fragments are gone.
pub(super) fn gone(id: u64) -> Error {
    Error::invalid_input(format!("the table has no fragment {id} to change"))
}
