//! What does an entry that leaves something out take from its manifest?
//!
//! Spec: Sequence Number Inheritance; First Row ID Inheritance.
//!
//! Invariant: a sequence number is inherited by ADDED entries only, unless the manifest is of v1 (sequence number 0).

use arrow_array::{Int32Array, Int64Array};
use floeberg_core::{Error, Result};

use crate::metadata::{ADDED, DELETED, ManifestContent, ManifestFile};

/// The snapshot that added (or deleted) the file: its own, else the one that added the manifest.
pub(super) fn snapshot_ids(written: &Int64Array, file: &ManifestFile) -> Int64Array {
    written.iter().map(|id| id.or(file.added_snapshot_id)).collect()
}

/// Data sequence numbers; an entry that needs one of its own and has none is an error.
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

/// File sequence numbers. Old writers did not know them: null is unknown.
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

/// First row ids: entries without one (EXISTING ones too, DELETED ones not) are numbered from the manifest's on.
pub(super) fn first_row_ids(
    written: &Int64Array,
    status: &Int32Array,
    record_count: &Int64Array,
    file: &ManifestFile,
) -> Result<Int64Array> {
    let (ManifestContent::Data, Some(mut next)) = (file.content, file.first_row_id) else {
        return Ok(Int64Array::new_null(written.len()));
    };
    let mut ids = Vec::with_capacity(written.len());
    for (row, id) in written.iter().enumerate() {
        if id.is_some() || status.value(row) == DELETED {
            ids.push(id);
            continue;
        }
        ids.push(Some(next));
        next = next.checked_add(record_count.value(row)).ok_or_else(|| {
            Error::invalid_data(format!("manifest entry {row}: its rows' ids do not fit into 64 bits"))
        })?;
    }
    Ok(Int64Array::from(ids))
}
