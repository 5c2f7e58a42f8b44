//! Which fields of a data file go from one manifest to another as they are stored?
//!
//! In: nothing. Out: the fields from the record count to the sort order, as format version 2 and 3 write them.
//! Spec: Data File Fields. Order, docs and nullability are Iceberg Java's.
//!
//! Invariant: nothing in them is inherited, and neither the format version (from 2 on) nor the partition spec changes how they are
//! written. A manifest whose schema has these fields, one after the other, has the bytes that a new manifest would have for them.

use floeberg_avro::write::declare;
use floeberg_avro::{AvroSchema, Limits, parse_schema};
use floeberg_core::Result;
use floeberg_core::schema::{Field, ListType, MapType, PrimitiveType, StructType, Type};

use PrimitiveType::{Binary, Int, Long};

/// The id of `file_size_in_bytes`.
pub(super) const FILE_SIZE: i32 = 104;
/// The id of `equality_ids`.
pub(super) const EQUALITY_IDS: i32 = 135;

/// The fields, in the order in which they are written.
pub(super) fn carried_fields() -> Vec<Field> {
    let values = "Map of column id to total count, including null and NaN";
    let nans = "Map of column id to number of NaN values in the column";
    vec![
        required(103, "record_count", Long, "Number of records in the file"),
        required(FILE_SIZE, "file_size_in_bytes", Long, "Total file size in bytes"),
        map(108, "column_sizes", [117, 118], Long, "Map of column id to total size on disk"),
        map(109, "value_counts", [119, 120], Long, values),
        map(110, "null_value_counts", [121, 122], Long, "Map of column id to null value count"),
        map(137, "nan_value_counts", [138, 139], Long, nans),
        map(125, "lower_bounds", [126, 127], Binary, "Map of column id to lower bound"),
        map(128, "upper_bounds", [129, 130], Binary, "Map of column id to upper bound"),
        optional(131, "key_metadata", Binary, "Encryption key metadata blob"),
        list(132, "split_offsets", 133, Long, "Splittable offsets"),
        list(EQUALITY_IDS, "equality_ids", 136, Int, "Equality comparison field IDs"),
        optional(140, "sort_order_id", Int, "Sort order ID"),
    ]
}

/// Their schema alone.
pub(super) fn carried_schema() -> Result<AvroSchema> {
    let json = declare(&StructType { fields: carried_fields() }, "carried")?.to_string();
    parse_schema(json.as_bytes(), &Limits::default())
}

pub(super) fn required(id: i32, name: &str, field_type: impl Into<Type>, doc: &str) -> Field {
    with_doc(Field::required(id, name, field_type), doc)
}

pub(super) fn optional(id: i32, name: &str, field_type: impl Into<Type>, doc: &str) -> Field {
    with_doc(Field::optional(id, name, field_type), doc)
}

fn map(id: i32, name: &str, [key, value]: [i32; 2], values: PrimitiveType, doc: &str) -> Field {
    let (key, value) = (Field::required(key, "key", Int), Field::required(value, "value", values));
    optional(id, name, Type::Map(Box::new(MapType { key, value })), doc)
}

fn list(id: i32, name: &str, element_id: i32, elements: PrimitiveType, doc: &str) -> Field {
    let element = Field::required(element_id, "element", elements);
    optional(id, name, Type::List(Box::new(ListType { element })), doc)
}

fn with_doc(field: Field, doc: &str) -> Field {
    Field { doc: Some(doc.to_owned()), ..field }
}
