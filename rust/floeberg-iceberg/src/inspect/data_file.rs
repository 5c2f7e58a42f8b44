//! How is a data or delete file shown?
//!
//! Spec: Data File Fields; the order and types are those of Iceberg Java's `DataFile`.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Int32Array, MapArray, StringArray, StructArray,
};
use arrow_buffer::{BooleanBuffer, OffsetBuffer};
use arrow_schema::DataType;
use arrow_select::filter::filter;
use floeberg_core::schema::arrow::type_to_arrow;
use floeberg_core::schema::{Field, ListType, MapType, PrimitiveType as P, Type};
use floeberg_core::{Error, Result};
use floeberg_io::is_plain_key;

use super::source::Source;
use crate::manifest::{EntryMetrics, ManifestEntries};

/// The id of the partition column.
const PARTITION: i32 = 102;

/// The columns of a file of a table.
pub(super) fn data_file_fields(source: &Source) -> Vec<Field> {
    let mut fields = vec![
        Field::optional(134, "content", P::Int),
        Field::required(100, "file_path", P::String),
        Field::required(101, "file_format", P::String),
        Field::optional(141, "spec_id", P::Int),
    ];
    fields.extend(source.partition().field(PARTITION));
    fields.extend([
        Field::required(103, "record_count", P::Long),
        Field::required(104, "file_size_in_bytes", P::Long),
        Field::optional(108, "column_sizes", map(117, 118, P::Long)),
        Field::optional(109, "value_counts", map(119, 120, P::Long)),
        Field::optional(110, "null_value_counts", map(121, 122, P::Long)),
        Field::optional(137, "nan_value_counts", map(138, 139, P::Long)),
        Field::optional(125, "lower_bounds", map(126, 127, P::Binary)),
        Field::optional(128, "upper_bounds", map(129, 130, P::Binary)),
        Field::optional(131, "key_metadata", P::Binary),
        Field::optional(132, "split_offsets", list(133, P::Long)),
        Field::optional(135, "equality_ids", list(136, P::Int)),
        Field::optional(140, "sort_order_id", P::Int),
        Field::optional(142, "first_row_id", P::Long),
        Field::optional(143, "referenced_data_file", P::String),
        Field::optional(144, "content_offset", P::Long),
        Field::optional(145, "content_size_in_bytes", P::Long),
    ]);
    fields
}

/// The values of [`data_file_fields`], a row an entry.
pub(super) fn data_file_columns(
    source: &Source,
    entries: &ManifestEntries,
    metrics: &EntryMetrics,
) -> Result<Vec<ArrayRef>> {
    let formats: StringArray =
        entries.file_format.iter().map(|format| format.map(str::to_ascii_uppercase)).collect();
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(entries.file_content.clone()),
        Arc::new(entries.file_path.clone()),
        Arc::new(formats),
        Arc::new(Int32Array::from_value(entries.spec_id, entries.len())),
    ];
    if source.partition().field(PARTITION).is_some() {
        let unified = source.partition().unify(source.specs(), entries.spec_id, &entries.partition)?;
        columns.push(Arc::new(unified));
    }
    columns.push(Arc::new(entries.record_count.clone()));
    columns.push(Arc::new(entries.file_size_in_bytes.clone()));
    let maps = [
        (&metrics.column_sizes, 117, 118, P::Long),
        (&metrics.value_counts, 119, 120, P::Long),
        (&metrics.null_value_counts, 121, 122, P::Long),
        (&metrics.nan_value_counts, 138, 139, P::Long),
        (&metrics.lower_bounds, 126, 127, P::Binary),
        (&metrics.upper_bounds, 129, 130, P::Binary),
    ];
    for (written, key, value, value_type) in maps {
        columns.push(Arc::new(with_values(written, &map(key, value, value_type))?));
    }
    let details = entries.details()?;
    // A key that is not encrypted is not shown.
    let shown = entries.key_metadata.iter().map(|key| key.filter(|key| !is_plain_key(key)));
    columns.push(Arc::new(shown.collect::<BinaryArray>()));
    columns.push(Arc::new(entries.split_offsets.clone()));
    columns.push(Arc::new(details.equality_ids.clone()));
    columns.push(Arc::new(details.sort_order_id.clone()));
    columns.push(Arc::new(entries.first_row_id.clone()));
    columns.push(Arc::new(details.referenced_data_file.clone()));
    columns.push(Arc::new(details.content_offset.clone()));
    columns.push(Arc::new(details.content_size_in_bytes.clone()));
    Ok(columns)
}

pub(super) fn map(key: i32, value: i32, value_type: P) -> Type {
    let (key, value) = (Field::required(key, "key", P::Int), Field::required(value, "value", value_type));
    Type::Map(Box::new(MapType { key, value }))
}

fn list(element: i32, element_type: P) -> Type {
    Type::List(Box::new(ListType { element: Field::required(element, "element", element_type) }))
}

/// A map whose values are required; pairs that some writer left without a value say nothing and are left out.
pub(super) fn with_values(written: &MapArray, map_type: &Type) -> Result<MapArray> {
    let DataType::Map(field, ordered) = type_to_arrow(map_type)? else {
        return Err(Error::internal("the metrics of a file are not a map"));
    };
    let DataType::Struct(pair) = field.data_type() else {
        return Err(Error::internal("the entries of a map are not a struct"));
    };
    let unfit = |error| Error::internal("the metrics of a file do not fit their column").caused_by(error);
    let (mut keys, mut values) = (Arc::clone(written.keys()), Arc::clone(written.values()));
    let mut offsets = written.offsets().clone();
    if let Some(valid) = values.logical_nulls().filter(|nulls| nulls.null_count() > 0) {
        let kept: &BooleanBuffer = valid.inner();
        let count =
            |pair: &[i32]| kept.slice(pair[0] as usize, (pair[1] - pair[0]) as usize).count_set_bits();
        let lengths: Vec<usize> = offsets.windows(2).map(count).collect();
        let mask = BooleanArray::new(kept.clone(), None);
        keys = filter(&keys, &mask).map_err(unfit)?;
        values = filter(&values, &mask).map_err(unfit)?;
        offsets = OffsetBuffer::from_lengths(lengths);
    }
    let pairs = StructArray::try_new(pair.clone(), vec![keys, values], None).map_err(unfit)?;
    MapArray::try_new(field, offsets, pairs, written.nulls().cloned(), ordered).map_err(unfit)
}
