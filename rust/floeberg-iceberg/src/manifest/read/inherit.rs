//! Which values does an entry inherit from its manifest?
//!
//! Spec: Sequence Number Inheritance; First Row ID Inheritance.
//!
//! Invariant: a sequence number is inherited by ADDED entries only, unless the manifest is of v1 (sequence number 0).

use arrow_array::{Int32Array, Int64Array};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use floeberg_core::{Error, Result};

use crate::manifest::{ADDED, DELETED, ManifestContent, ManifestFile};

/// The snapshot that added (or deleted) the file: its own, else the one that added the manifest.
pub(super) fn snapshot_ids(written: &Int64Array, file: &ManifestFile) -> Int64Array {
    written.iter().map(|id| id.or(file.added_snapshot_id)).collect()
}

/// Data sequence numbers. An entry that cannot inherit one and has none is an error.
pub(super) fn data_sequence_numbers(
    written: &Int64Array,
    status: &Int32Array,
    file: &ManifestFile,
) -> Result<Int64Array> {
    let mut numbers = Vec::with_capacity(written.len());
    for (row, number) in written.iter().enumerate() {
        let Some(number) = number.or_else(|| inherited(status.value(row), file)) else {
            let status = if status.value(row) == DELETED { "DELETED" } else { "EXISTING" };
            return Err(Error::invalid_data(format!(
                "manifest entry {row} has the status {status} and no sequence number: only ADDED entries inherit it"
            )));
        };
        numbers.push(number);
    }
    Ok(Int64Array::from(numbers))
}

/// File sequence numbers. Old writers left them out: null is unknown.
pub(super) fn file_sequence_numbers(
    written: &Int64Array,
    status: &Int32Array,
    file: &ManifestFile,
) -> Int64Array {
    let numbers = written.iter().enumerate();
    numbers.map(|(row, number)| number.or_else(|| inherited(status.value(row), file))).collect()
}

fn inherited(status: i32, file: &ManifestFile) -> Option<i64> {
    (status == ADDED || file.sequence_number == 0).then_some(file.sequence_number)
}

/// The row ids that entries inherited from their manifest.
#[derive(Debug, Clone, Default)]
pub struct AssignedRowIds {
    /// Which entries inherited them; `None` if no entry did.
    pub entries: Option<BooleanBuffer>,
    /// How many they inherited: the rows of these entries.
    pub rows: i64,
}

/// The row id of the first row of a manifest. Delete manifests have none, even if a writer stored one.
pub(super) fn first_row_id(file: &ManifestFile) -> Option<i64> {
    file.first_row_id.filter(|_| file.content == ManifestContent::Data)
}

/// First row ids: entries without one (EXISTING ones too, DELETED ones not) are numbered from `first` on, if the
/// manifest has a first row id.
pub(super) fn first_row_ids(
    written: &Int64Array,
    status: &Int32Array,
    record_count: &Int64Array,
    first: Option<i64>,
) -> Result<(Int64Array, AssignedRowIds)> {
    let Some(first) = first else {
        return Ok((Int64Array::new_null(written.len()), AssignedRowIds::default()));
    };
    let mut next = first;
    let mut ids = Vec::with_capacity(written.len());
    let mut took = BooleanBufferBuilder::new(written.len());
    for (row, id) in written.iter().enumerate() {
        let takes = id.is_none() && status.value(row) != DELETED;
        took.append(takes);
        if !takes {
            ids.push(id);
            continue;
        }
        ids.push(Some(next));
        next = next.checked_add(record_count.value(row)).ok_or_else(|| beyond_64_bits(row))?;
    }
    let rows = next.checked_sub(first).ok_or_else(|| beyond_64_bits(0))?;
    Ok((Int64Array::from(ids), AssignedRowIds { entries: Some(took.finish()), rows }))
}

#[cold]
fn beyond_64_bits(row: usize) -> Error {
    Error::invalid_data(format!("manifest entry {row}: the row ids of its file do not fit into 64 bits"))
}
