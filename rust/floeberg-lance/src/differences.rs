//! Which fragments of two versions differ, and can values of a row that both have?
//!
//! In: two versions of a table. Out: the ids of fragments; columns that cannot be compared.
//!
//! Invariant: a fragment that neither version names has the same rows and values in both. No data file is opened.

use std::collections::{BTreeSet, HashMap, HashSet};

use floeberg_core::Result;

use crate::metadata::field_paths;
use crate::table::Table;
use crate::wire::{DataFile, Fragment, Operation, SchemaField};

/// Fragments that are not in both versions as they are, by their ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Differences {
    /// Of the earlier version.
    pub before: Vec<u64>,
    /// Of the later version.
    pub after: Vec<u64>,
    /// Of both, where an address is of the same row: they share a data file.
    pub same_rows: Vec<u64>,
    /// Of these, fragments with another file of a column that both versions have.
    pub other_values: Vec<u64>,
}

impl Differences {
    /// Of two versions. Errors: `InvalidData`, naming the manifest.
    pub fn between(before: &Table, after: &Table) -> Result<Self> {
        let (old, new) = (&before.manifest().fragments, &after.manifest().fragments);
        let mut places: HashMap<u64, usize> = old.ids().iter().copied().zip(0..).collect();
        let mut found = Self::default();
        let common = common_fields(before, after);
        for (place, id) in new.ids().iter().enumerate() {
            let Some(earlier) = places.remove(id) else {
                found.after.push(*id);
                continue;
            };
            if old.written(earlier..earlier + 1) == new.written(place..place + 1) {
                continue;
            }
            found.before.push(*id);
            found.after.push(*id);
            let (earlier, later) = (before.fragment(earlier)?, after.fragment(place)?);
            if share_file(&earlier, &later) {
                found.same_rows.push(*id);
                if common.iter().any(|field| places_of(&earlier, *field) != places_of(&later, *field)) {
                    found.other_values.push(*id);
                }
            }
        }
        found.before.extend(places.into_keys());
        found.before.sort_unstable();
        Ok(found)
    }
}

/// The columns of a version that cannot be compared with those of an earlier one: a part of them has another type there, or is
/// another column under the same name.
pub fn incomparable_columns(before: &Table, after: &Table) -> BTreeSet<String> {
    let (old, new) = (&before.manifest().head.fields, &after.manifest().head.fields);
    let by_id: HashMap<i32, &SchemaField> = old.iter().map(|field| (field.id, field)).collect();
    let old_paths: HashSet<String> = field_paths(old).into_values().collect();
    let new_paths = field_paths(new);
    let parents: HashMap<i32, i32> = new.iter().map(|field| (field.id, field.parent_id)).collect();
    let names: HashMap<i32, &str> = new.iter().map(|field| (field.id, field.name.as_str())).collect();
    let is_other = |field: &&SchemaField| match by_id.get(&field.id) {
        Some(known) => known.logical_type != field.logical_type,
        None => new_paths.get(&field.id).is_some_and(|path| old_paths.contains(path)),
    };
    let column = |field: &SchemaField| {
        let mut top = field.id;
        // A parent stands before its children, so that this ends.
        while let Some(parent) = parents.get(&top).filter(|parent| names.contains_key(*parent)) {
            top = *parent;
        }
        names.get(&top).map(|name| (*name).to_owned())
    };
    new.iter().filter(is_other).filter_map(column).collect()
}

/// Can an operation have given rows other values where they were, without a word about the rows?
pub fn may_replace_values(operation: &Operation) -> bool {
    match operation {
        Operation::Update(update) => update.update_mode != 0 || !update.fields_modified.is_empty(),
        Operation::Missing
        | Operation::Merge(_)
        | Operation::DataReplacement(_)
        | Operation::DataOverlay(_)
        | Operation::UpdateMemWalState(_)
        | Operation::Unknown(..) => true,
        _ => false,
    }
}

fn common_fields(before: &Table, after: &Table) -> Vec<i32> {
    let old: HashSet<i32> = before.manifest().head.fields.iter().map(|field| field.id).collect();
    let new = after.manifest().head.fields.iter().map(|field| field.id);
    new.filter(|id| old.contains(id)).collect()
}

fn share_file(earlier: &Fragment, later: &Fragment) -> bool {
    earlier.physical_rows == later.physical_rows
        && earlier.files.iter().any(|file| later.files.iter().any(|other| name(file) == name(other)))
}

fn name(file: &DataFile) -> (&str, Option<u32>) {
    (&file.path, file.base_id)
}

/// The files with a field, and where it is in them.
pub(crate) fn places_of(fragment: &Fragment, field: i32) -> Vec<(&str, Option<u32>, Option<i32>)> {
    let of_file = |file: &'_ DataFile| file.fields.iter().position(|id| *id == field);
    let files = fragment.files.iter().filter_map(|file| Some((file, of_file(file)?)));
    files.map(|(file, at)| (file.path.as_str(), file.base_id, file.column_indices.get(at).copied())).collect()
}

#[cfg(test)]
mod tests;
