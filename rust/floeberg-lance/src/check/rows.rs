//! Can the rows of a fragment be decoded, and are there nulls where there may be none?
//!
//! In: a fragment of a table, and what decodes pages. Out: findings.
//! Spec: Lance, File Format; Schema & Fields.
//!
//! Invariant: rows are read by a schema whose fields may all be null, so that a null does not hide what comes after it.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, RecordBatch};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer, OffsetBuffer};
use arrow_schema::DataType;
use floeberg_core::finding::{Findings, is_of_file};
use floeberg_core::{Cancel, ErrorKind, Result};

use super::rules::files::{REQUIRED_VALUES, ROWS_READABLE};
use crate::metadata::Field;
use crate::pages::Pages;
use crate::read::{ReadRequest, has_blob_v2};
use crate::rows::RowStream;
use crate::scan::Scan;
use crate::table::Table;

/// What is read of all rows of a version. Errors: those of [`Scan::request`].
pub(super) fn request_of(table: &Table) -> Result<Arc<ReadRequest>> {
    // Blobs in files of their own are not decoded.
    let schema = table.schema().readable(|field| !has_blob_v2(field));
    Scan::new(table.with_schema(schema)).request()
}

/// Checks the rows of a fragment, by its place in the manifest of `table`, whose schema says where nulls may be.
///
/// Errors: those of the store; `Cancelled`.
pub(super) fn check_rows(
    table: &Table,
    request: &Arc<ReadRequest>,
    place: usize,
    pages: &Arc<dyn Pages>,
    cancel: &Cancel,
) -> Result<Findings> {
    let fragments = &table.manifest().fragments;
    let part = format!("fragment {}", fragments.ids()[place]);
    let mut stream = RowStream::of_fragment(request, place, pages);
    let mut nulls = Nulls::default();
    let broken = loop {
        cancel.check()?;
        match stream.next_batch() {
            Ok(Some(batch)) => nulls.add(table, &batch),
            Ok(None) => break None,
            Err(error) if error.kind() == ErrorKind::Unsupported => break None,
            Err(error) if is_of_file(&error) => break Some(error),
            Err(error) => return Err(error),
        }
    };
    let first = fragments.files(place).next();
    let location = first.and_then(|file| table.bases().data_file(file.base_id, file.path).ok());
    let location = location.as_deref().unwrap_or(table.manifest_location());
    let named = broken.as_ref().and_then(|error| {
        error.context().iter().find(|(key, _)| *key == "path").map(|(_, path)| path.to_owned())
    });
    let mut found = Findings::of_snapshot(named.as_deref().unwrap_or(location), table.version() as i64);
    if let Some(error) = broken {
        found.add(&ROWS_READABLE, &part, error);
    }
    for (field, count) in nulls.0 {
        let message = format!("expected no nulls, found {count} in rows that are not deleted");
        found.add(&REQUIRED_VALUES, format_args!("{part}, field {field:?}"), message);
    }
    Ok(found)
}

/// The nulls of fields that may have none, by dotted names.
#[derive(Debug, Default)]
struct Nulls(BTreeMap<String, usize>);

impl Nulls {
    fn add(&mut self, table: &Table, batch: &RecordBatch) {
        for (field, array) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            if let Some(declared) = table.schema().column(field.name()) {
                self.walk(declared, &declared.name, array, None);
            }
        }
    }

    /// Counts nulls of an array where what holds it is not null.
    fn walk(&mut self, field: &Field, name: &str, array: &ArrayRef, holder: Option<&NullBuffer>) {
        let own = array.logical_nulls();
        if !field.nullable
            && let Some(own) = &own
        {
            let valid = NullBuffer::union(holder, Some(own)).map_or(0, |both| both.null_count());
            let count = valid - holder.map_or(0, NullBuffer::null_count);
            if count > 0 {
                *self.0.entry(name.to_owned()).or_default() += count;
            }
        }
        if !field.children.iter().any(has_required) {
            return;
        }
        let valid = NullBuffer::union(holder, own.as_ref());
        let below = |child: &Field| format!("{name}.{}", child.name);
        match array.data_type() {
            DataType::Struct(_) => {
                for (child, values) in field.children.iter().zip(array.as_struct().columns()) {
                    self.walk(child, &below(child), values, valid.as_ref());
                }
            }
            DataType::List(_) => {
                let list = array.as_list::<i32>();
                self.elements(
                    field,
                    name,
                    list.values(),
                    &listed(list.offsets(), list.values().len(), valid.as_ref()),
                );
            }
            DataType::LargeList(_) => {
                let list = array.as_list::<i64>();
                self.elements(
                    field,
                    name,
                    list.values(),
                    &listed(list.offsets(), list.values().len(), valid.as_ref()),
                );
            }
            DataType::Map(..) => {
                let map = array.as_map();
                let entries: ArrayRef = Arc::new(map.entries().clone());
                self.elements(field, name, &entries, &listed(map.offsets(), entries.len(), valid.as_ref()));
            }
            DataType::FixedSizeList(_, length) => {
                let list = array.as_fixed_size_list();
                let length = usize::try_from(*length).unwrap_or_default();
                let mut kept = BooleanBufferBuilder::new(list.values().len());
                for at in 0..list.len() {
                    kept.append_n(length, valid.as_ref().is_none_or(|valid| valid.is_valid(at)));
                }
                self.elements(field, name, list.values(), &NullBuffer::new(kept.finish()));
            }
            _ => {}
        }
    }

    fn elements(&mut self, field: &Field, name: &str, values: &ArrayRef, valid: &NullBuffer) {
        if let [child] = field.children.as_slice()
            && values.len() == valid.len()
        {
            self.walk(child, &format!("{name}.{}", child.name), values, Some(valid));
        }
    }
}

fn has_required(field: &Field) -> bool {
    !field.nullable || field.children.iter().any(has_required)
}

/// Which values are in lists that are not null.
fn listed<O: OffsetSizeTrait>(
    offsets: &OffsetBuffer<O>,
    values: usize,
    valid: Option<&NullBuffer>,
) -> NullBuffer {
    let mut kept = BooleanBufferBuilder::new(values);
    kept.append_n(values, false);
    for (at, ends) in offsets.windows(2).enumerate() {
        if valid.is_none_or(|valid| valid.is_valid(at)) {
            (ends[0].as_usize()..ends[1].as_usize()).for_each(|value| kept.set_bit(value, true));
        }
    }
    NullBuffer::new(kept.finish())
}
