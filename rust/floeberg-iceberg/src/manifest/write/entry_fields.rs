//! Which fields does a manifest of a format version have, in which order?
//!
//! In: the format version and the partition type. Out: fields with ids, names, docs and nullability.
//! Spec: Manifest Entry Fields; Data File Fields. Order, docs and nullability are Iceberg Java's.

use floeberg_core::schema::{Field, PrimitiveType, StructType, Type};

use crate::manifest::carried_fields::{EQUALITY_IDS, FILE_SIZE, carried_fields, optional, required};

use PrimitiveType::{Int, Long, String as Text};

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
    let content = "Contents of the file: 0=data, 1=position deletes, 2=equality deletes";
    let partition = Field::required(102, "partition", Type::Struct(partition.clone()));
    let with_doc = Field {
        doc: Some("Partition data tuple, schema based on the partition spec".to_owned()),
        ..partition.clone()
    };
    let mut fields = Vec::new();
    if v2 {
        fields.push(required(134, "content", Int, content));
    }
    fields.push(required(100, "file_path", Text, "Location URI with FS scheme"));
    fields.push(required(101, "file_format", Text, "File format name: avro, orc, or parquet"));
    fields.push(if v1 { partition } else { with_doc });
    for field in carried_fields() {
        let id = field.id;
        if v2 || id != EQUALITY_IDS {
            fields.push(field);
        }
        if v1 && id == FILE_SIZE {
            fields.push(Field::required(105, "block_size_in_bytes", Long));
        }
    }
    if v3 {
        let doc = "The first row ID assigned to the first row in the data file";
        fields.push(optional(142, "first_row_id", Long, doc));
    }
    if v2 {
        let doc = "Fully qualified location (URI with FS scheme) of a data file that all deletes reference";
        fields.push(optional(143, "referenced_data_file", Text, doc));
    }
    if v3 {
        let doc = "The offset in the file where the content starts";
        fields.push(optional(144, "content_offset", Long, doc));
        let doc = "The length of referenced content stored in the file";
        fields.push(optional(145, "content_size_in_bytes", Long, doc));
    }
    StructType { fields }
}
