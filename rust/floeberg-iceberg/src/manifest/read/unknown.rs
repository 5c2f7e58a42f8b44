//! Which fields of a manifest's entries, or of a manifest list's, does this version not know?
//!
//! In: a manifest or a manifest list. Out: the bytes of such fields, for whoever writes an entry again.
//! Spec: Manifest Entry Fields; Data File Fields; Manifest Lists.
//!
//! Invariant: fields that the specification has retired are not kept: no writer may write them.

use arrow_array::{Int32Array, StructArray};
use floeberg_avro::{AvroSchema, Container, KnownFields, UnknownValues, unknown_values};
use floeberg_core::Result;

use super::columns::column;
use crate::manifest::{DELETED, EntryRequest};

/// The fields of entries.
const OF_ENTRIES: [i32; 5] = [0, 1, 2, 3, 4];
/// The fields of files, with those that are retired: 105, 106, 107, 111 and 141.
const OF_FILES: [i32; 25] = [
    100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 125, 128, 131, 132, 134, 135, 137, 140, 141,
    142, 143, 144, 145,
];
const DATA_FILE: i32 = 2;
/// The fields of a manifest list.
const OF_LISTS: [i32; 16] = [500, 501, 502, 503, 504, 505, 506, 507, 512, 513, 514, 515, 516, 517, 519, 520];

/// The unknown fields of the entries that are wanted. `None` where there are none, which the schema says.
pub(super) fn unknown_entries(
    container: &Container<'_>,
    schema: &AvroSchema,
    rows: &StructArray,
    request: &EntryRequest,
) -> Result<Option<UnknownValues>> {
    let known = KnownFields { fields: &OF_ENTRIES, holder: Some(DATA_FILE), of_holder: &OF_FILES };
    let found = unknown_values(container, schema, known)?;
    if request.with_deleted {
        return Ok(found);
    }
    let status: Int32Array = column(rows, "status")?;
    Ok(found.map(|found| found.only(status.values().iter().map(|status| *status != DELETED))))
}

/// The unknown fields of the rows of a manifest list. `None` where there are none, which the schema says.
pub(super) fn unknown_of_list(
    container: &Container<'_>,
    schema: &AvroSchema,
) -> Result<Option<UnknownValues>> {
    unknown_values(container, schema, KnownFields { fields: &OF_LISTS, holder: None, of_holder: &[] })
}
