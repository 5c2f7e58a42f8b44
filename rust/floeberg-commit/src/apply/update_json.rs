//! How is a change of a table written for a REST catalog, and read?
//!
//! Spec: REST catalog specification, `TableUpdate`.

use floeberg_core::schema::json::schema_to_json;
use floeberg_core::{Error, ErrorKind, Result};
use floeberg_iceberg::metadata::json::{
    ObjectWriter, emit_map, emit_order, emit_ref, emit_snapshot, emit_spec, parse_order, parse_ref,
    parse_schema, parse_snapshot, parse_spec,
};
use floeberg_iceberg::metadata::parse_encrypted_key;
use floeberg_iceberg::wire::json::{
    JsonPath, ObjectReader, int, list, long, object, raw, string, string_map,
};
use serde_json::Value as Json;

use crate::Update;
use crate::operations::version;

impl Update {
    /// The name of the change.
    pub fn action(&self) -> &'static str {
        match self {
            Self::AssignUuid(_) => "assign-uuid",
            Self::UpgradeFormatVersion(_) => "upgrade-format-version",
            Self::AddSchema(..) => "add-schema",
            Self::SetCurrentSchema(_) => "set-current-schema",
            Self::AddSpec(_) => "add-spec",
            Self::SetDefaultSpec(_) => "set-default-spec",
            Self::AddSortOrder(_) => "add-sort-order",
            Self::SetDefaultSortOrder(_) => "set-default-sort-order",
            Self::AddSnapshot(_) => "add-snapshot",
            Self::SetSnapshotRef(..) => "set-snapshot-ref",
            Self::RemoveSnapshots(_) => "remove-snapshots",
            Self::RemoveSnapshotRef(_) => "remove-snapshot-ref",
            Self::SetLocation(_) => "set-location",
            Self::SetProperties(_) => "set-properties",
            Self::RemoveProperties(_) => "remove-properties",
            Self::SetStatistics(..) => "set-statistics",
            Self::RemoveStatistics(_) => "remove-statistics",
            Self::SetPartitionStatistics(..) => "set-partition-statistics",
            Self::RemovePartitionStatistics(_) => "remove-partition-statistics",
            Self::RemovePartitionSpecs(_) => "remove-partition-specs",
            Self::RemoveSchemas(_) => "remove-schemas",
            Self::AddEncryptionKey(_) => "add-encryption-key",
            Self::RemoveEncryptionKey(_) => "remove-encryption-key",
        }
    }

    /// The change as JSON.
    pub fn to_json(&self) -> Result<Json> {
        let mut object = ObjectWriter::default();
        object.put("action", self.action());
        match self {
            Self::AssignUuid(uuid) => object.put("uuid", uuid.as_str()),
            Self::UpgradeFormatVersion(version) => object.put("format-version", *version),
            Self::AddSchema(schema, last_column_id) => {
                object.put("schema", schema_to_json(schema)?);
                object.put_some("last-column-id", *last_column_id);
            }
            Self::SetCurrentSchema(id) => object.put("schema-id", *id),
            Self::AddSpec(spec) => object.put("spec", emit_spec(spec)),
            Self::SetDefaultSpec(id) => object.put("spec-id", *id),
            Self::AddSortOrder(order) => object.put("sort-order", emit_order(order)),
            Self::SetDefaultSortOrder(id) => object.put("sort-order-id", *id),
            // A new one of v2 has a sequence number, and one of v1 needs none.
            Self::AddSnapshot(snapshot) => object.put("snapshot", emit_snapshot(snapshot, 1)),
            Self::SetSnapshotRef(name, reference) => {
                object.put("ref-name", name.as_str());
                if let Json::Object(keys) = emit_ref(reference) {
                    return Ok(object.finish(&keys));
                }
            }
            Self::RemoveSnapshots(ids) => object.put("snapshot-ids", ids.clone()),
            Self::RemoveSnapshotRef(name) => object.put("ref-name", name.as_str()),
            Self::SetLocation(location) => object.put("location", location.as_str()),
            Self::SetProperties(updates) => object.put("updates", emit_map(updates)),
            Self::RemoveProperties(keys) => object.put("removals", keys.clone()),
            Self::SetStatistics(snapshot_id, file) => {
                object.put("snapshot-id", *snapshot_id);
                object.put("statistics", file.clone());
            }
            Self::RemoveStatistics(snapshot_id) | Self::RemovePartitionStatistics(snapshot_id) => {
                object.put("snapshot-id", *snapshot_id);
            }
            Self::SetPartitionStatistics(_, file) => object.put("partition-statistics", file.clone()),
            Self::RemovePartitionSpecs(ids) => object.put("spec-ids", ids.clone()),
            Self::RemoveSchemas(ids) => object.put("schema-ids", ids.clone()),
            Self::AddEncryptionKey(key) => object.put("encryption-key", key.clone()),
            Self::RemoveEncryptionKey(id) => object.put("key-id", id.as_str()),
        }
        Ok(object.finish(&serde_json::Map::new()))
    }

    /// Reads a change. Errors: `InvalidInput` for malformed JSON, `Unsupported` for an unknown action.
    pub fn from_json(json: Json) -> Result<Self> {
        parse(json).map_err(|error| match error.kind() {
            ErrorKind::Unsupported => error,
            _ => Error::invalid_input(format!("a table update is damaged: {}", error.message()))
                .caused_by(error),
        })
    }
}

fn parse(json: Json) -> Result<Update> {
    let path = JsonPath::root("update");
    let mut object = ObjectReader::new(json, &path)?;
    let action = object.required("action", string)?;
    Ok(match action.as_str() {
        "assign-uuid" => Update::AssignUuid(object.required("uuid", string)?),
        "upgrade-format-version" => Update::UpgradeFormatVersion(object.required("format-version", version)?),
        "add-schema" => {
            let schema = object.required("schema", parse_schema)?;
            Update::AddSchema(schema, object.optional("last-column-id", int)?)
        }
        "set-current-schema" => Update::SetCurrentSchema(object.required("schema-id", int)?),
        "add-spec" => Update::AddSpec(object.required("spec", parse_spec)?),
        "set-default-spec" => Update::SetDefaultSpec(object.required("spec-id", int)?),
        "add-sort-order" => Update::AddSortOrder(object.required("sort-order", parse_order)?),
        "set-default-sort-order" => Update::SetDefaultSortOrder(object.required("sort-order-id", int)?),
        "add-snapshot" => Update::AddSnapshot(object.required("snapshot", parse_snapshot)?),
        "set-snapshot-ref" => {
            let name = object.required("ref-name", string)?;
            Update::SetSnapshotRef(name, parse_ref(Json::Object(object.unknown_keys()), &path)?)
        }
        "remove-snapshots" => Update::RemoveSnapshots(object.required("snapshot-ids", list(long))?),
        "remove-snapshot-ref" => Update::RemoveSnapshotRef(object.required("ref-name", string)?),
        "set-location" => Update::SetLocation(object.required("location", string)?),
        "set-properties" => Update::SetProperties(object.required("updates", string_map)?),
        "remove-properties" => Update::RemoveProperties(object.required("removals", list(string))?),
        "set-statistics" => {
            let (snapshot_id, file) = file_of_snapshot(&mut object, "statistics")?;
            Update::SetStatistics(snapshot_id, file)
        }
        "remove-statistics" => Update::RemoveStatistics(object.required("snapshot-id", long)?),
        "set-partition-statistics" => {
            let (snapshot_id, file) = file_of_snapshot(&mut object, "partition-statistics")?;
            Update::SetPartitionStatistics(snapshot_id, file)
        }
        "remove-partition-statistics" => {
            Update::RemovePartitionStatistics(object.required("snapshot-id", long)?)
        }
        "remove-partition-specs" => Update::RemovePartitionSpecs(object.required("spec-ids", list(int))?),
        "remove-schemas" => Update::RemoveSchemas(object.required("schema-ids", list(int))?),
        "add-encryption-key" => {
            let key = object.required("encryption-key", raw)?;
            parse_encrypted_key(key.clone(), &path.key("encryption-key"))?;
            Update::AddEncryptionKey(key)
        }
        "remove-encryption-key" => Update::RemoveEncryptionKey(object.required("key-id", string)?),
        other => {
            return Err(Error::unsupported(format!("unknown action of a table update: {other:?}")));
        }
    })
}

/// A statistics file and its snapshot, which the file itself names.
fn file_of_snapshot(reader: &mut ObjectReader<'_>, key: &str) -> Result<(i64, Json)> {
    let file = reader.required(key, raw)?;
    let path = reader.path().key(key);
    let mut named = ObjectReader::new(Json::Object(object(file.clone(), &path)?), &path)?;
    Ok((named.required("snapshot-id", long)?, file))
}

/// Several changes as JSON.
pub fn updates_to_json(updates: &[Update]) -> Result<Json> {
    updates.iter().map(Update::to_json).collect::<Result<Vec<_>>>().map(Json::Array)
}
