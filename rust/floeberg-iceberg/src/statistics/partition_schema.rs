//! Which columns does a partition statistics file have?
//!
//! In: the struct over all partition specs, and a format version. Out: the schema of a file that is read, or written.
//! Spec: Partition Statistics File.
//!
//! Invariant: ids and names are the specification's. A file may be older than the format version of its table, so a reader
//! takes columns as optional that not every version requires.

use floeberg_core::Result;
use floeberg_core::schema::{Field, PrimitiveType, Schema, StructType, Type};

/// The first format version whose files count deletion vectors, and must have all counts.
const VECTORS_SINCE: u8 = 3;

/// The columns of a file that is read.
pub(super) fn schema_to_read(partition: StructType, format_version: u8) -> Result<Schema> {
    columns(partition, format_version, false)
}

/// The columns of a file that is written.
pub(super) fn schema_to_write(partition: StructType, format_version: u8) -> Result<Schema> {
    columns(partition, format_version, format_version >= VECTORS_SINCE)
}

fn columns(partition: StructType, format_version: u8, has_all_counts: bool) -> Result<Schema> {
    use PrimitiveType::{Int, Long};
    let count = |id: i32, name: &str, primitive: PrimitiveType| {
        if has_all_counts {
            Field::required(id, name, primitive)
        } else {
            Field::optional(id, name, primitive)
        }
    };
    let mut fields = vec![
        Field::required(1, "partition", Type::Struct(partition)),
        Field::required(2, "spec_id", Int),
        Field::required(3, "data_record_count", Long),
        Field::required(4, "data_file_count", Int),
        Field::required(5, "total_data_file_size_in_bytes", Long),
        count(6, "position_delete_record_count", Long),
        count(7, "position_delete_file_count", Int),
        count(8, "equality_delete_record_count", Long),
        count(9, "equality_delete_file_count", Int),
        Field::optional(10, "total_record_count", Long),
        Field::optional(11, "last_updated_at", Long),
        Field::optional(12, "last_updated_snapshot_id", Long),
    ];
    if format_version >= VECTORS_SINCE {
        fields.push(count(13, "dv_count", Int));
    }
    Schema::new(0, fields)
}
