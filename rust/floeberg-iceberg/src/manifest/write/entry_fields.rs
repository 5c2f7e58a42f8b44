//! Which fields does a manifest of a format version have, in which order?
//!
//! In: the format version and the partition type. Out: fields with ids, names, docs and nullability.
//! Spec: Manifest Entry Fields; Data File Fields. Order, docs and nullability are Iceberg Java's.

use floeberg_core::schema::{Field, ListType, MapType, PrimitiveType, StructType, Type};

use PrimitiveType::{Binary, Int, Long, String as Text};

/// The fields of a manifest's entries.
pub(super) fn entry_fields(format_version: u8, partition: &StructType) -> StructType {
    let mut fields = vec![Field::required(0, "status", Int), Field::optional(1, "snapshot_id", Long)];
    if format_version >= 2 {
        fields.push(Field::optional(3, "sequence_number", Long));
        fields.push(Field::optional(4, "file_sequence_number", Long));
    }
    fields.push(Field::required(2, "data_file", Type::Struct(file_fields(format_version, partition))));
    StructType { fields }
}

fn file_fields(format_version: u8, partition: &StructType) -> StructType {
    let (v1, v2, v3) = (format_version == 1, format_version >= 2, format_version >= 3);
    let partition = Field::required(102, "partition", Type::Struct(partition.clone()));
    let fields = [
        (
            v2,
            required(
                134,
                "content",
                Int,
                "Contents of the file: 0=data, 1=position deletes, 2=equality deletes",
            ),
        ),
        (true, required(100, "file_path", Text, "Location URI with FS scheme")),
        (true, required(101, "file_format", Text, "File format name: avro, orc, or parquet")),
        (v1, partition.clone()),
        (v2, with_doc(partition, "Partition data tuple, schema based on the partition spec")),
        (true, required(103, "record_count", Long, "Number of records in the file")),
        (true, required(104, "file_size_in_bytes", Long, "Total file size in bytes")),
        (v1, Field::required(105, "block_size_in_bytes", Long)),
        (true, map(108, "column_sizes", [117, 118], Long, "Map of column id to total size on disk")),
        (
            true,
            map(
                109,
                "value_counts",
                [119, 120],
                Long,
                "Map of column id to total count, including null and NaN",
            ),
        ),
        (true, map(110, "null_value_counts", [121, 122], Long, "Map of column id to null value count")),
        (
            true,
            map(
                137,
                "nan_value_counts",
                [138, 139],
                Long,
                "Map of column id to number of NaN values in the column",
            ),
        ),
        (true, map(125, "lower_bounds", [126, 127], Binary, "Map of column id to lower bound")),
        (true, map(128, "upper_bounds", [129, 130], Binary, "Map of column id to upper bound")),
        (true, optional(131, "key_metadata", Binary, "Encryption key metadata blob")),
        (true, list(132, "split_offsets", 133, Long, "Splittable offsets")),
        (v2, list(135, "equality_ids", 136, Int, "Equality comparison field IDs")),
        (true, optional(140, "sort_order_id", Int, "Sort order ID")),
        (
            v3,
            optional(
                142,
                "first_row_id",
                Long,
                "The first row ID assigned to the first row in the data file",
            ),
        ),
        (
            v2,
            optional(
                143,
                "referenced_data_file",
                Text,
                "Fully qualified location (URI with FS scheme) of a data file that all deletes reference",
            ),
        ),
        (v3, optional(144, "content_offset", Long, "The offset in the file where the content starts")),
        (
            v3,
            optional(
                145,
                "content_size_in_bytes",
                Long,
                "The length of referenced content stored in the file",
            ),
        ),
    ];
    StructType {
        fields: fields.into_iter().filter_map(|(written, field)| written.then_some(field)).collect(),
    }
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
