#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod damage;
mod inheritance;
mod real_files;

use floeberg_core::schema::{Field, PrimitiveType, StructType};

use crate::metadata::{ManifestContent, ManifestFile};

/// A row of a manifest list for a manifest of that content and sequence number.
fn manifest_file(content: ManifestContent, sequence_number: i64) -> ManifestFile {
    ManifestFile {
        manifest_path: "file:/t/metadata/m.avro".to_owned(),
        manifest_length: 0,
        partition_spec_id: 3,
        content,
        sequence_number,
        min_sequence_number: 0,
        added_snapshot_id: Some(77),
        added_files_count: None,
        existing_files_count: None,
        deleted_files_count: None,
        added_rows_count: None,
        existing_rows_count: None,
        deleted_rows_count: None,
        partitions: None,
        key_metadata: None,
        first_row_id: None,
    }
}

fn unpartitioned() -> StructType {
    StructType::default()
}

fn partitioned_by(field_type: PrimitiveType) -> StructType {
    StructType { fields: vec![Field::optional(1000, "p", field_type)] }
}
