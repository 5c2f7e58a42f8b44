//! Is what an entry says of its file possible, whatever is in the file?
//!
//! Spec: Data File Fields; Delete Formats; Equality Delete Files.

use floeberg_core::schema::{PrimitiveType, Type};

use crate::check::known::Known;
use crate::check::rules::entries::{
    DATA_FIELDS, DELETES_OF_VERSION, EQUALITY_COLUMNS, EQUALITY_IDS, FILE_FORMAT, FILE_NUMBERS, FILE_PATH,
    SORT_ORDER_THERE, SPLIT_OFFSETS, VECTOR_FIELDS,
};
use crate::check::rules::manifests::DELETE_ROW_IDS;
use floeberg_core::finding::Findings;

use super::stored::{ADDED, DATA, EQUALITY, POSITIONS, Stored, number, number32};

const FORMATS: [&str; 3] = ["parquet", "avro", "orc"];

/// Checks what an entry says of its file.
pub(super) fn check_file(
    found: &mut Findings,
    known: &Known,
    stored: &Stored,
    row: usize,
    version: u8,
    part: &str,
) {
    if stored.path.value(row).is_empty() {
        found.add(&FILE_PATH, part, "expected a location, found an empty one");
    }
    let format = stored.format.value(row).to_ascii_lowercase();
    let is_vector = stored.is_vector(row);
    if !FORMATS.contains(&format.as_str()) && !is_vector {
        found.add(&FILE_FORMAT, part, format_args!("found {format:?}"));
    }
    let (rows, size) = (stored.record_count.value(row), stored.size.value(row));
    if rows < 0 || size <= 0 {
        found.add(&FILE_NUMBERS, part, format_args!("found {rows} rows in {size} bytes"));
    }
    if let Some(offsets) = stored.split_offsets(row)
        && (!offsets.is_sorted_by(|one, next| one < next)
            || offsets.iter().any(|at| *at < 0 || *at >= size.max(1)))
    {
        let shown = &offsets[..offsets.len().min(8)];
        found.add(&SPLIT_OFFSETS, part, format_args!("found {shown:?} in a file of {size} bytes"));
    }
    check_sort_order(found, known, stored, row, part);
    check_deletes(found, known, stored, row, version, part);
}

fn check_sort_order(found: &mut Findings, known: &Known, stored: &Stored, row: usize, part: &str) {
    let Some(order) = number32(&stored.sort_order_id, row) else { return };
    if stored.content(row) == POSITIONS && order != 0 {
        found.add(&SORT_ORDER_THERE, part, format_args!("expected none of position deletes, found {order}"));
    } else if order != 0 && known.metadata.sort_order(order).is_none() {
        found.add(&SORT_ORDER_THERE, part, format_args!("the table has no sort order {order}"));
    }
}

fn check_deletes(found: &mut Findings, known: &Known, stored: &Stored, row: usize, version: u8, part: &str) {
    let (content, is_vector) = (stored.content(row), stored.is_vector(row));
    let ids = stored.equality_ids(row);
    match (content == EQUALITY, ids.is_empty()) {
        (true, true) => found.add(&EQUALITY_IDS, part, "expected columns, found none"),
        (false, false) => found.add(&EQUALITY_IDS, part, format_args!("expected none, found {ids:?}")),
        _ => {}
    }
    for id in ids.iter().filter(|_| content == EQUALITY) {
        let Some(column) = known.columns.get(id) else {
            found.add(&EQUALITY_IDS, part, format_args!("the table has no column {id}, and had none"));
            continue;
        };
        let fits = match &column.field_type {
            Type::Primitive(primitive) => !matches!(primitive, PrimitiveType::Float | PrimitiveType::Double),
            _ => false,
        };
        if !fits || column.repeated {
            found.add(&EQUALITY_COLUMNS, part, format_args!("column {id} is of type {}", column.field_type));
        }
    }
    let at = [&stored.offset, &stored.content_size].map(|numbers| number(numbers, row));
    let is_at = at.iter().all(|number| number.is_some_and(|number| number >= 0));
    if is_vector && (!is_at || stored.referenced(row).is_none()) {
        let message =
            format_args!("found the data file {:?}, offset and size {at:?}", stored.referenced(row));
        found.add(&VECTOR_FIELDS, part, message);
    } else if !is_vector && at.iter().any(Option::is_some) {
        found.add(&VECTOR_FIELDS, part, format_args!("expected no offset and size, found {at:?}"));
    }
    if content == DATA && stored.referenced(row).is_some() {
        found.add(&DATA_FIELDS, part, format_args!("found {:?}", stored.referenced(row)));
    }
    if content != DATA && number(&stored.first_row_id, row).is_some() {
        found.add(&DELETE_ROW_IDS, part, "expected none, found one");
    }
    let is_allowed = match version {
        1 => content == DATA,
        2 => !is_vector,
        _ => content != POSITIONS || is_vector || stored.status.value(row) != ADDED,
    };
    if !is_allowed {
        let what = if is_vector { "a deletion vector" } else { "deletes" };
        found.add(&DELETES_OF_VERSION, part, format_args!("found {what} in a manifest of version {version}"));
    }
}
