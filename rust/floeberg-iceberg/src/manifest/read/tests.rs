#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod damage;
mod inheritance;
mod real_files;

use floeberg_core::schema::{Field, PrimitiveType, StructType};

use crate::manifest::{ManifestContent, ManifestFile};

/// A row of a manifest list for a manifest of that content and sequence number.
fn manifest_file(content: ManifestContent, sequence_number: i64) -> ManifestFile {
    let file = ManifestFile::unlisted("file:/t/metadata/m.avro".to_owned(), 0, 3, content);
    ManifestFile { sequence_number, added_snapshot_id: Some(77), ..file }
}

fn unpartitioned() -> StructType {
    StructType::default()
}

fn partitioned_by(field_type: PrimitiveType) -> StructType {
    StructType { fields: vec![Field::optional(1000, "p", field_type)] }
}
