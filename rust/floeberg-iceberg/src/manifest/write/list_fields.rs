//! Which fields does a manifest list of a format version have, in which order?
//!
//! In: the format version. Out: fields with ids, names, docs and nullability.
//! Spec: Manifest Lists. Order, docs and nullability are Iceberg Java's.

use floeberg_core::schema::{Field, ListType, PrimitiveType, StructType, Type};

use crate::manifest::carried_fields::{optional, required};

use PrimitiveType::{Binary, Boolean, Int, Long, String as Text};

/// The fields of a manifest list.
pub(super) fn list_fields(format_version: u8) -> StructType {
    let (v1, v2, v3) = (format_version == 1, format_version >= 2, format_version >= 3);
    let count = |id, name: &str, counted: PrimitiveType, doc: &str| Field {
        required: v2,
        ..optional(id, name, counted, doc)
    };
    let rows = [
        count(512, "added_rows_count", Long, "Added rows count"),
        count(513, "existing_rows_count", Long, "Existing rows count"),
        count(514, "deleted_rows_count", Long, "Deleted rows count"),
    ];
    let mut fields = vec![
        required(500, "manifest_path", Text, "Location URI with FS scheme"),
        required(501, "manifest_length", Long, "Total file size in bytes"),
        required(502, "partition_spec_id", Int, "Spec ID used to write"),
    ];
    if v2 {
        fields.extend([
            required(517, "content", Int, "Contents of the manifest: 0=data, 1=deletes"),
            required(515, "sequence_number", Long, "Sequence number when the manifest was added"),
            required(516, "min_sequence_number", Long, "Lowest sequence number in the manifest"),
        ]);
    }
    fields.extend([
        required(503, "added_snapshot_id", Long, "Snapshot ID that added the manifest"),
        count(504, "added_files_count", Int, "Added entry count"),
        count(505, "existing_files_count", Int, "Existing entry count"),
        count(506, "deleted_files_count", Int, "Deleted entry count"),
    ]);
    // v1 has the summaries before the rows, later versions after them.
    if v1 {
        fields.push(summaries());
        fields.extend(rows);
    } else {
        fields.extend(rows);
        fields.push(summaries());
    }
    fields.push(optional(519, "key_metadata", Binary, "Encryption key metadata blob"));
    if v3 {
        let doc = "Starting row ID to assign to new rows in ADDED data files";
        fields.push(optional(520, "first_row_id", Long, doc));
    }
    StructType { fields }
}

fn summaries() -> Field {
    let fields = vec![
        required(509, "contains_null", Boolean, "True if any file has a null partition value"),
        optional(518, "contains_nan", Boolean, "True if any file has a nan partition value"),
        optional(510, "lower_bound", Binary, "Partition lower bound for all files"),
        optional(511, "upper_bound", Binary, "Partition upper bound for all files"),
    ];
    let element = Field::required(508, "element", Type::Struct(StructType { fields }));
    optional(507, "partitions", Type::List(Box::new(ListType { element })), "Summary for each partition")
}
