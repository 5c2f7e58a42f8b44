#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod carried;
mod lists;
mod manifests;
mod rules;
mod samples;
mod summaries;

use floeberg_avro::write::{Compression, ContainerOptions};
use floeberg_core::Result;
use floeberg_core::schema::{Field, PrimitiveType, Schema, StructType};
use floeberg_core::transform::Transform;
use serde_json::Map;

use super::{DataFile, ManifestEntry, ManifestRequest, ManifestWriter, WrittenManifest};
use crate::manifest::{EntryRequest, ManifestContent, ManifestFile, parse_manifest};
use crate::metadata::{PartitionField, PartitionSpec};

const LOCATION: &str = "file:/t/metadata/m.avro";
const SNAPSHOT: i64 = 77;

/// Without compression, in blocks of a few entries.
const OPTIONS: ContainerOptions =
    ContainerOptions { compression: Compression::Null, block_bytes: 1000, sync: None };

fn schema() -> Schema {
    Schema::new(4, vec![Field::optional(1, "x", PrimitiveType::Long)]).unwrap()
}

/// A spec and type of these fields, by identity.
fn partitioned_by(types: &[PrimitiveType]) -> (PartitionSpec, StructType) {
    let fields = types.iter().enumerate().map(|(place, field_type)| {
        let (id, name) = (1000 + place as i32, format!("p {place}"));
        let field = PartitionField {
            field_id: id,
            source_ids: vec![1],
            name: name.clone(),
            transform: Transform::Identity,
            unknown_keys: Map::new(),
        };
        (field, Field::optional(id, name, field_type.clone()))
    });
    let (spec_fields, fields) = fields.unzip();
    (PartitionSpec { spec_id: 3, fields: spec_fields, unknown_keys: Map::new() }, StructType { fields })
}

/// For data files in v2.
fn request<'a>(
    schema: &'a Schema,
    spec: &'a PartitionSpec,
    partition_type: &'a StructType,
) -> ManifestRequest<'a> {
    ManifestRequest {
        unknown: &[],
        location: LOCATION,
        format_version: 2,
        content: ManifestContent::Data,
        snapshot_id: SNAPSHOT,
        schema,
        spec,
        partition_type,
    }
}

fn write_as(
    format_version: u8,
    content: ManifestContent,
    types: &[PrimitiveType],
    entries: &[ManifestEntry],
) -> Result<(Vec<u8>, WrittenManifest)> {
    let (spec, partition_type) = partitioned_by(types);
    let schema = schema();
    let request = ManifestRequest { format_version, content, ..request(&schema, &spec, &partition_type) };
    let mut writer = ManifestWriter::new(Vec::new(), &request, &OPTIONS)?;
    entries.iter().try_for_each(|entry| writer.add(entry))?;
    writer.finish()
}

/// Every entry of a manifest, inheritance applied.
fn read(bytes: &[u8], file: &ManifestFile, types: &[PrimitiveType]) -> Vec<ManifestEntry> {
    let (_, partition_type) = partitioned_by(types);
    let request = EntryRequest { with_deleted: true, with_metrics: true, ..EntryRequest::default() };
    let entries = parse_manifest(bytes, file, &partition_type, &request).unwrap();
    (0..entries.len()).map(|row| entries.entry(row, &partition_type).unwrap()).collect()
}

fn data_file() -> DataFile {
    DataFile { record_count: 10, file_size_in_bytes: 100, ..DataFile::new("s3://b/x.parquet", "parquet") }
}
