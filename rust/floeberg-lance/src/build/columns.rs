//! Which fragments follow from operations on columns?
//!
//! In: a version, and a new schema, maybe with files for the fragments. Out: the fragments of the next version.
//! Spec: Lance, Data Evolution; Transactions: Merge, Project, `DataReplacement`.
//!
//! Invariant: a file of which no column is left in the schema is left out; ids of fields are not used again as long as a file has
//! them.

use std::collections::HashSet;

use floeberg_core::{Error, Result};
use roaring::RoaringBitmap;

use super::base::Base;
use super::coverage::rewritten_fields;
use super::edits::Edits;
use super::rows::gone;
use crate::wire::{DataReplacement, Fragment, Layout, Manifest, Merge, Project, SchemaField};

/// In place of a field whose values are in another file.
const TOMBSTONE: i32 = -2;

/// Fields that were written anew, and the fragments in which they were.
#[derive(Debug, Default)]
pub(super) struct Rewritten {
    pub fields: HashSet<i32>,
    pub fragments: RoaringBitmap,
}

/// The highest id that a field has or had, as far as files tell; -1 without any.
pub fn highest_field_id(manifest: &Manifest) -> i32 {
    let of_schema = manifest.head.fields.iter().map(|field| field.id);
    let of_files = manifest.fragments.layouts().iter().flat_map(|layout| layout.fields.iter().copied());
    of_schema.chain(of_files).max().unwrap_or(-1).max(-1)
}

/// Replaces the files of fragments, of all of them.
pub(super) fn merge(operation: &Merge, base: &Base<'_>, edits: &mut Edits<'_>) -> Result<Rewritten> {
    let places = base.places();
    if operation.fragments.len() != places.len() {
        return Err(Error::invalid_input(format!(
            "expected all {} fragments of the table, found {}",
            places.len(),
            operation.fragments.len()
        )));
    }
    let live: HashSet<i32> = operation.schema.iter().map(|field| field.id).collect();
    let mut rewritten = Rewritten::default();
    for after in &operation.fragments {
        let place = *places.get(&after.id).ok_or_else(|| gone(after.id))?;
        let rows = base.manifest.fragments.physical_rows()[place];
        if after.physical_rows != rows {
            return Err(Error::invalid_input(format!(
                "expected {rows} rows in every file of fragment {}, found {}",
                after.id, after.physical_rows
            )));
        }
        let mut fields = rewritten_fields(base.manifest, place, after);
        fields.retain(|field| live.contains(field));
        if !fields.is_empty() {
            rewritten.fragments.insert(after.id as u32);
            rewritten.fields.extend(fields);
        }
        let mut fragment = after.clone();
        fragment.files.retain(|file| is_live(&file.fields, &live));
        edits.change(place, fragment);
    }
    Ok(rewritten)
}

/// Leaves out files of which no column is left.
pub(super) fn project(operation: &Project, base: &Base<'_>, edits: &mut Edits<'_>) -> Result<()> {
    let fragments = &base.manifest.fragments;
    let live: HashSet<i32> = operation.schema.iter().map(|field: &SchemaField| field.id).collect();
    let is_dead: Vec<bool> =
        fragments.layouts().iter().map(|layout: &Layout| !is_live(&layout.fields, &live)).collect();
    for place in 0..fragments.len() {
        if fragments.layout_numbers(place).iter().any(|layout| is_dead[*layout as usize]) {
            let mut fragment = fragments.fragment(place)?;
            fragment.files.retain(|file| is_live(&file.fields, &live));
            edits.change(place, fragment);
        }
    }
    Ok(())
}

/// Puts a file in the place of others, for some of their columns.
pub(super) fn replace(
    operation: &DataReplacement,
    base: &Base<'_>,
    edits: &mut Edits<'_>,
) -> Result<Rewritten> {
    let places = base.places();
    let live: HashSet<i32> = base.manifest.head.fields.iter().map(|field| field.id).collect();
    let mut rewritten = Rewritten::default();
    for group in &operation.replacements {
        let file = group.new_file.as_ref().ok_or_else(|| {
            Error::invalid_input(format!(
                "expected a new file for fragment {}, found none",
                group.fragment_id
            ))
        })?;
        let place = *places.get(&group.fragment_id).ok_or_else(|| gone(group.fragment_id))?;
        let mut fragment: Fragment = base.manifest.fragments.fragment(place)?;
        for old in &mut fragment.files {
            for field in old.fields.iter_mut().filter(|field| file.fields.contains(field)) {
                *field = TOMBSTONE;
            }
        }
        fragment.files.retain(|old| is_live(&old.fields, &live));
        fragment.files.push(file.clone());
        rewritten.fields.extend(file.fields.iter().copied().filter(|field| *field >= 0));
        rewritten.fragments.insert(fragment.id as u32);
        edits.change(place, fragment);
    }
    Ok(rewritten)
}

fn is_live(fields: &[i32], live: &HashSet<i32>) -> bool {
    fields.iter().any(|field| live.contains(field))
}
