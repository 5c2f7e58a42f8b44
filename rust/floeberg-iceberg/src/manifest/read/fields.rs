//! Which fields of a manifest and of a manifest list do we read, under which ids?
//!
//! Spec: Manifest Entry Fields; Data File Fields; Manifest Lists.
//!
//! Invariant: a field that some format version lacks is optional here; the reader decides what its absence means.

use floeberg_core::schema::{Field, ListType, MapType, PrimitiveType, StructType, Type};

use PrimitiveType::{Binary, Boolean, Int, Long, String as Text};

/// A map by field id: its own id and name, the ids of key and value, the type of the values.
pub(super) type MetricsMap = (i32, &'static str, i32, i32, PrimitiveType);

/// The maps that pruning uses.
pub(super) const STATISTICS: [MetricsMap; 5] = [
    (109, "value_counts", 119, 120, Long),
    (110, "null_value_counts", 121, 122, Long),
    (137, "nan_value_counts", 138, 139, Long),
    (125, "lower_bounds", 126, 127, Binary),
    (128, "upper_bounds", 129, 130, Binary),
];

/// All maps of metrics.
pub(super) const METRICS: [MetricsMap; 6] = {
    let [values, nulls, nans, lower, upper] = STATISTICS;
    [(108, "column_sizes", 117, 118, Long), values, nulls, nans, lower, upper]
};

/// The id of `data_file`.
pub(super) const DATA_FILE: i32 = 2;
/// The id, of no writer, and the name of the fields that go to another manifest as they are stored.
pub(super) const STORED: i32 = -1;
pub(super) const STORED_NAME: &str = "stored";

/// The fields of a manifest list.
pub(super) fn list_fields() -> Vec<Field> {
    let summary = StructType {
        fields: vec![
            Field::required(509, "contains_null", Boolean),
            Field::optional(518, "contains_nan", Boolean),
            Field::optional(510, "lower_bound", Binary),
            Field::optional(511, "upper_bound", Binary),
        ],
    };
    vec![
        Field::required(500, "manifest_path", Text),
        Field::required(501, "manifest_length", Long),
        Field::required(502, "partition_spec_id", Int),
        Field::optional(517, "content", Int),
        Field::optional(515, "sequence_number", Long),
        Field::optional(516, "min_sequence_number", Long),
        Field::optional(503, "added_snapshot_id", Long),
        Field::optional(504, "added_files_count", Long),
        Field::optional(505, "existing_files_count", Long),
        Field::optional(506, "deleted_files_count", Long),
        Field::optional(512, "added_rows_count", Long),
        Field::optional(513, "existing_rows_count", Long),
        Field::optional(514, "deleted_rows_count", Long),
        list(507, "partitions", Field::required(508, "element", Type::Struct(summary))),
        Field::optional(519, "key_metadata", Binary),
        Field::optional(520, "first_row_id", Long),
    ]
}

/// The fields of a manifest with this partition type, with the wanted maps, with details or without, and with the bytes of stored fields
/// or without.
pub(super) fn entry_fields(
    partition: &StructType,
    maps: &[MetricsMap],
    details: bool,
    stored: bool,
) -> Vec<Field> {
    let mut data_file = vec![
        Field::optional(134, "content", Int),
        Field::required(100, "file_path", Text),
        Field::required(101, "file_format", Text),
        Field::required(102, "partition", Type::Struct(partition.clone())),
        Field::required(103, "record_count", Long),
        Field::required(104, "file_size_in_bytes", Long),
        Field::optional(131, "key_metadata", Binary),
        list(132, "split_offsets", Field::required(133, "element", Long)),
        Field::optional(142, "first_row_id", Long),
    ];
    if details {
        data_file.extend([
            list(135, "equality_ids", Field::required(136, "element", Int)),
            Field::optional(140, "sort_order_id", Int),
            Field::optional(143, "referenced_data_file", Text),
            Field::optional(144, "content_offset", Long),
            Field::optional(145, "content_size_in_bytes", Long),
        ]);
    }
    data_file.extend(maps.iter().map(|(id, name, key, value, value_type)| {
        let key = Field::required(*key, "key", Int);
        let value = Field::optional(*value, "value", value_type.clone());
        Field::optional(*id, *name, Type::Map(Box::new(MapType { key, value })))
    }));
    if stored {
        data_file.push(Field::optional(STORED, STORED_NAME, Binary));
    }
    let mut entry = vec![Field::required(0, "status", Int), Field::optional(3, "sequence_number", Long)];
    if details {
        entry.extend([
            Field::optional(1, "snapshot_id", Long),
            Field::optional(4, "file_sequence_number", Long),
        ]);
    }
    entry.push(Field::required(DATA_FILE, "data_file", Type::Struct(StructType { fields: data_file })));
    entry
}

fn list(id: i32, name: &str, element: Field) -> Field {
    Field::optional(id, name, Type::List(Box::new(ListType { element })))
}
