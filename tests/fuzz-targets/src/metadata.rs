//! Metadata of tables and views, schemas and name mappings, all of them JSON.

use floeberg_core::schema::json::{schema_from_json, schema_to_json};
use floeberg_core::schema::name_mapping::MappedField;
use floeberg_core::schema::{NameMapping, Schema, arrow::schema_to_arrow};
use floeberg_iceberg::metadata::{
    TableMetadata, parse_table_metadata, parse_view_metadata, unified_partition,
};

use crate::judge::decoded;

/// Longer documents say no more than these.
const LONGEST: usize = 1 << 16;

/// What is parsed is written and parsed as the same; what asks the model for more neither panics nor hangs.
pub(crate) fn table_metadata(bytes: &[u8]) {
    if bytes.len() > LONGEST {
        return;
    }
    let Some(first) = decoded(parse_table_metadata(bytes, "memory://t/metadata.json")) else { return };
    ask(&first);
    let written = serde_json::to_vec(&decoded(first.to_json()).expect("what was parsed is written")).unwrap();
    let second = parse_table_metadata(&written, "memory://t/metadata.json");
    let second = second.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&written)));
    assert_eq!(first, second);
}

fn ask(metadata: &TableMetadata) {
    for spec in &metadata.partition_specs {
        decoded(spec.partition_type(metadata));
    }
    decoded(unified_partition(metadata));
    for snapshot in metadata.snapshots.iter().take(16) {
        decoded(metadata.schema_for_snapshot(snapshot));
        metadata.ancestors_of(snapshot.snapshot_id);
        decoded(metadata.snapshot_as_of(snapshot.timestamp_ms));
    }
    for name in metadata.refs.keys().take(16) {
        decoded(metadata.snapshot_of_ref(name));
    }
    metadata.history();
    let schema = metadata.current_schema();
    decoded(schema_to_arrow(schema));
    look_up(schema);
}

/// The versions of a view have the schemas that they name, or an error says that there is none.
pub(crate) fn view_metadata(bytes: &[u8]) {
    if bytes.len() > LONGEST {
        return;
    }
    let Some(first) = decoded(parse_view_metadata(bytes, "memory://t/view.json")) else { return };
    for version in &first.versions {
        if let Some(schema) = decoded(first.schema_of(version)) {
            assert_eq!(schema.schema_id(), version.schema_id);
            decoded(schema_to_arrow(schema));
        }
    }
    assert_eq!(first.current_version().version_id, first.current_version_id);
}

/// A schema's fields are found by the names that it gives them.
fn look_up(schema: &Schema) {
    for (name, id) in schema.names().take(64) {
        assert_eq!(schema.find(name, true).unwrap_or_else(|error| panic!("{name:?}: {error}")), id);
        decoded(schema.find(name, false));
        schema.full_name(id).expect("a field has a name");
    }
    NameMapping::of_schema(schema);
}

/// A schema is written and read as the same.
pub(crate) fn schema(bytes: &[u8]) {
    if bytes.len() > LONGEST {
        return;
    }
    let Ok(json) = serde_json::from_slice(bytes) else { return };
    let Some(first) = decoded(schema_from_json(&json)) else { return };
    decoded(schema_to_arrow(&first));
    look_up(&first);
    let written = decoded(schema_to_json(&first)).expect("what was read is written");
    let second = schema_from_json(&written).unwrap_or_else(|error| panic!("{error}: {written}"));
    assert_eq!(first, second);
}

/// A name mapping answers for any path.
pub(crate) fn name_mapping(bytes: &[u8]) {
    if bytes.len() > LONGEST {
        return;
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Some(mapping) = decoded(NameMapping::from_json(text)) else { return };
    for name in ["a", "id", "element", ""] {
        let Some(field) = mapping.get(name) else { continue };
        assert_eq!(mapping.find(&[name]), field.field_id());
        for below in ["a", "element", "key", "value"] {
            let child = field.children().get(below);
            assert_eq!(mapping.find(&[name, below]), child.and_then(MappedField::field_id));
        }
    }
}
