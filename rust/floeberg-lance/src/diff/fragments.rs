//! Which fragments and files differ between two versions, and how many rows of them at most?
//!
//! In: two manifests. Out: fragments, files, and upper limits of rows. No data file and no deletion file is opened.
//! Spec: Lance, Fragments; Data Files; Deletion Files.
//!
//! Invariant: a fragment that both versions have with the same data files and the same deletion file has the same rows in both.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{Field, Schema};
use floeberg_core::{Error, Result};

use crate::differences::{Differences, places_of};
use crate::table::Table;

/// The fragments that differ, by their ids.
#[derive(Debug, Clone, Default)]
pub(super) struct Differing {
    /// Of the first version.
    pub(super) before: Vec<u64>,
    /// Of the second version.
    pub(super) after: Vec<u64>,
    /// Of both, where an address is of the same row. May values differ, and not only which rows are deleted?
    pub(super) shared: HashMap<u64, bool>,
}

impl Differing {
    /// Of two versions. Errors: `InvalidData`, naming the manifest.
    pub(super) fn between(before: &Table, after: &Table) -> Result<Self> {
        let found = Differences::between(before, after)?;
        let (old, new) = (places(before), places(after));
        let mut shared = HashMap::new();
        for id in found.same_rows {
            let (Some(earlier), Some(later)) = (old.get(&id), new.get(&id)) else { continue };
            let (earlier, later) = (before.fragment(*earlier)?, after.fragment(*later)?);
            // A column that one version lacks counts too: it has nulls there.
            let fields = after.manifest().head.fields.iter().map(|field| field.id);
            let is_other = fields.into_iter().any(|id| places_of(&earlier, id) != places_of(&later, id));
            shared.insert(id, is_other);
        }
        Ok(Self { before: found.before, after: found.after, shared })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }

    /// Do the two versions have a fragment with the same values, and other deletes at most?
    pub(super) fn has_same_values(&self, id: u64) -> bool {
        self.shared.get(&id) == Some(&false)
    }
}

/// The places of fragments in the manifest, by their ids.
pub(super) fn places(table: &Table) -> HashMap<u64, usize> {
    table.manifest().fragments.ids().iter().copied().zip(0..).collect()
}

/// A file of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Named {
    content: &'static str,
    fragment: u64,
    rows: u64,
    bytes: u64,
}

/// The files of some fragments, by their locations. Errors: `InvalidData`, naming the manifest.
fn files_of(table: &Table, ids: &[u64]) -> Result<BTreeMap<String, Named>> {
    let (known, fragments) = (places(table), &table.manifest().fragments);
    let mut files = BTreeMap::new();
    for (id, place) in ids.iter().filter_map(|id| Some((*id, *known.get(id)?))) {
        for file in fragments.files(place) {
            let rows = fragments.physical_rows()[place];
            let named = Named { content: "data", fragment: id, rows, bytes: file.size_bytes };
            files.insert(table.bases().data_file(file.base_id, file.path)?, named);
        }
        if let Some(file) = fragments.deletion_file(place)? {
            let named =
                Named { content: "deletion file", fragment: id, rows: file.num_deleted_rows, bytes: 0 };
            files.insert(table.bases().deletion_file(id, &file)?, named);
        }
    }
    Ok(files)
}

/// The files that differ, one row each. Errors: `InvalidData`, naming the manifest.
pub(super) fn files(before: &Table, after: &Table, differing: &Differing) -> Result<RecordBatch> {
    let (old, new) = (files_of(before, &differing.before)?, files_of(after, &differing.after)?);
    let deletes = |files: &BTreeMap<String, Named>, fragment: u64| {
        let mut own = files.iter().filter(|(_, file)| file.fragment == fragment && file.content != "data");
        own.next().map(|(location, _)| location.clone())
    };
    let mut rows: Vec<(&'static str, &str, &Named)> = Vec::new();
    for (location, file) in old.iter().filter(|(location, _)| !new.contains_key(*location)) {
        rows.push(("removed", location, file));
    }
    for (location, file) in &new {
        match old.get(location) {
            None => rows.push(("added", location, file)),
            Some(_) if file.content == "data" => {
                if deletes(&old, file.fragment) != deletes(&new, file.fragment) {
                    rows.push(("other deletes", location, file));
                }
            }
            Some(_) => {}
        }
    }
    let number = |of: fn(&Named) -> u64| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| of(row.2))))
    };
    batch_of(vec![
        ("change", Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.0)))),
        ("content", Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.2.content)))),
        ("file_path", Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row.1)))),
        ("fragment_id", number(|file| file.fragment)),
        ("record_count", number(|file| file.rows)),
        ("file_size_in_bytes", number(|file| file.bytes)),
    ])
}

/// All files of a version, as if each had been added: the columns of [`files`](super::TableDiff::files).
///
/// Errors: `InvalidData`, naming the manifest.
pub fn all_files(table: &Table) -> Result<RecordBatch> {
    let after = table.manifest().fragments.ids().to_vec();
    files(table, table, &Differing { after, ..Differing::default() })
}

/// How many rows of each fragment differ at most, one row for each fragment. An update counts on both sides, and so does a row that
/// was only moved.
pub(super) fn preview(before: &Table, after: &Table, differing: &Differing) -> Result<RecordBatch> {
    let (old, new) = (places(before), places(after));
    let mut ids: Vec<u64> = differing.before.iter().chain(&differing.after).copied().collect();
    ids.sort_unstable();
    ids.dedup();
    let (mut inserted, mut deleted) = (Vec::with_capacity(ids.len()), Vec::with_capacity(ids.len()));
    for id in &ids {
        let (earlier, later) = (old.get(id), new.get(id));
        let (gone, came) = match (earlier, later) {
            (Some(earlier), Some(later)) if differing.has_same_values(*id) => {
                (most_deleted(after, *later), most_deleted(before, *earlier))
            }
            _ => {
                let live = |table: &Table, place: &usize| live(table, *place);
                (earlier.map_or(0, |place| live(before, place)), later.map_or(0, |place| live(after, place)))
            }
        };
        deleted.push(gone);
        inserted.push(came);
    }
    batch_of(vec![
        ("fragment_id", Arc::new(UInt64Array::from(ids))),
        ("inserted_rows", Arc::new(UInt64Array::from(inserted))),
        ("deleted_rows", Arc::new(UInt64Array::from(deleted))),
    ])
}

/// How many rows of a fragment are deleted at most.
fn most_deleted(table: &Table, place: usize) -> u64 {
    let fragments = &table.manifest().fragments;
    match fragments.deleted_rows(place) {
        0 if fragments.has_deletion_file(place) => fragments.physical_rows()[place],
        known => known,
    }
}

/// How many rows of a fragment are not deleted at most.
pub(super) fn live(table: &Table, place: usize) -> u64 {
    let fragments = &table.manifest().fragments;
    fragments.physical_rows()[place].saturating_sub(fragments.deleted_rows(place))
}

/// Columns without nulls, as a batch.
fn batch_of(columns: Vec<(&str, ArrayRef)>) -> Result<RecordBatch> {
    let fields: Vec<_> =
        columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), false)).collect();
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
        .map_err(|error| Error::internal("the columns of a difference do not fit").caused_by(error))
}
