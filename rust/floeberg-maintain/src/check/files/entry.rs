//! What does an entry say of its file?
//!
//! Spec: Data File Fields.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, MapArray};

use crate::check::manifest::{Stored, number, number32};

/// An entry of a manifest.
#[derive(Debug, Clone)]
pub(in crate::check) struct FileEntry {
    pub(in crate::check) stored: Arc<Stored>,
    pub(in crate::check) row: usize,
    pub(in crate::check) spec_id: i32,
    /// The schema that its file is read with, by the number of the snapshot that has it.
    pub(in crate::check) snapshot: u32,
}

impl FileEntry {
    pub(super) fn path(&self) -> &str {
        self.stored.path.value(self.row)
    }

    pub(super) fn rows(&self) -> i64 {
        self.stored.record_count.value(self.row)
    }

    pub(super) fn size(&self) -> i64 {
        self.stored.size.value(self.row)
    }

    pub(super) fn content(&self) -> i32 {
        self.stored.content(self.row)
    }

    pub(super) fn sort_order_id(&self) -> Option<i32> {
        number32(&self.stored.sort_order_id, self.row)
    }

    pub(super) fn is_encrypted(&self) -> bool {
        self.stored.key_metadata.is_valid(self.row)
    }

    /// Where its vector is in the file, and how long it is.
    pub(super) fn vector_range(&self) -> Option<(u64, u64)> {
        let of = |numbers| number(numbers, self.row).and_then(|number| u64::try_from(number).ok());
        of(&self.stored.offset).zip(of(&self.stored.content_size))
    }

    pub(super) fn value_counts(&self) -> BTreeMap<i32, i64> {
        counts(&self.stored.value_counts, self.row)
    }

    pub(super) fn null_counts(&self) -> BTreeMap<i32, i64> {
        counts(&self.stored.null_counts, self.row)
    }

    pub(super) fn nan_counts(&self) -> BTreeMap<i32, i64> {
        counts(&self.stored.nan_counts, self.row)
    }

    pub(super) fn lower_bounds(&self) -> BTreeMap<i32, Vec<u8>> {
        bounds(&self.stored.lower_bounds, self.row)
    }

    pub(super) fn upper_bounds(&self) -> BTreeMap<i32, Vec<u8>> {
        bounds(&self.stored.upper_bounds, self.row)
    }
}

fn counts(map: &MapArray, row: usize) -> BTreeMap<i32, i64> {
    let values = map.values().as_primitive::<Int64Type>();
    pairs(map, row).filter(|(_, at)| values.is_valid(*at)).map(|(key, at)| (key, values.value(at))).collect()
}

fn bounds(map: &MapArray, row: usize) -> BTreeMap<i32, Vec<u8>> {
    let values = map.values().as_binary::<i32>();
    pairs(map, row)
        .filter(|(_, at)| values.is_valid(*at))
        .map(|(key, at)| (key, values.value(at).to_vec()))
        .collect()
}

/// The keys of a map, and where their values are.
fn pairs(map: &MapArray, row: usize) -> impl Iterator<Item = (i32, usize)> + '_ {
    let ends = map.value_offsets();
    let range = if map.is_null(row) { 0..0 } else { ends[row] as usize..ends[row + 1] as usize };
    range.map(|at| (map.keys().as_primitive::<Int32Type>().value(at), at))
}
