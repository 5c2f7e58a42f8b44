//! Manifest lists and manifests.

use arrow_array::Array;
use floeberg_core::schema::{Field, PrimitiveType, StructType, Type};
use floeberg_iceberg::manifest::{
    EntryRequest, EntryStatistics, ManifestContent, ManifestFile, manifest_header, parse_manifest,
    parse_manifest_list,
};
use serde_json::Value as Json;

use crate::judge::decoded;

/// Longer files repeat themselves.
const LONGEST: usize = 1 << 16;

/// The rows of a manifest list.
pub(crate) fn manifest_list(bytes: &[u8]) {
    if bytes.len() <= LONGEST {
        decoded(parse_manifest_list(bytes, "memory://t/list.avro"));
    }
}

/// The entries of a manifest, with the statistics of a few columns and without: the same entries.
pub(crate) fn manifest(bytes: &[u8]) {
    if bytes.len() > LONGEST {
        return;
    }
    let Some(header) = decoded(manifest_header(bytes)) else { return };
    let spec = header.partition_spec.as_ref().and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    let fields = spec.iter().filter_map(|field| {
        let id = i32::try_from(field.get("field-id")?.as_i64()?).ok()?;
        let transform = field.get("transform")?.as_str()?;
        Some(Field::optional(id, field.get("name")?.as_str()?, partition_value(transform)))
    });
    let partition_type = StructType { fields: fields.collect() };
    let file = listed(header.content.unwrap_or(ManifestContent::Data));
    let bare = EntryRequest { with_deleted: true, ..EntryRequest::default() };
    let full = EntryRequest { statistics_of: vec![1, 2, 3, 1000], ..bare.clone() };
    let bare = decoded(parse_manifest(bytes, &file, &partition_type, &bare));
    let full = decoded(parse_manifest(bytes, &file, &partition_type, &full));
    if let (Some(bare), Some(full)) = (bare, full) {
        assert_eq!((bare.len(), &bare.file_path), (full.len(), &full.file_path));
        assert_eq!(bare.partition, full.partition);
        assert!(full.statistics.values().all(|column| is_of(column, full.len())));
    }
}

/// A type that the values of a transform have often.
fn partition_value(transform: &str) -> Type {
    Type::Primitive(match transform {
        "identity" | "truncate" => PrimitiveType::String,
        "day" => PrimitiveType::Date,
        _ => PrimitiveType::Int,
    })
}

fn listed(content: ManifestContent) -> ManifestFile {
    let manifest = ManifestFile::unlisted("memory://t/manifest.avro".to_owned(), 1, 0, content);
    ManifestFile {
        sequence_number: 3,
        min_sequence_number: 1,
        added_snapshot_id: Some(7),
        first_row_id: Some(0),
        ..manifest
    }
}

/// Has every column of some statistics so many rows?
fn is_of(statistics: &EntryStatistics, rows: usize) -> bool {
    let columns: [&dyn Array; 5] = [
        &statistics.value_count,
        &statistics.null_value_count,
        &statistics.nan_value_count,
        &statistics.lower_bound,
        &statistics.upper_bound,
    ];
    columns.iter().all(|column| column.len() == rows)
}
