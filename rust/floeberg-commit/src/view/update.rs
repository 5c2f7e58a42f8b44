//! What can a commit change in a view?
//!
//! Out: its JSON for a REST catalog too.
//! Spec: REST catalog specification, `ViewUpdate`.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::Result;
use floeberg_core::schema::Schema;
use floeberg_core::schema::json::schema_to_json;
use floeberg_iceberg::metadata::ViewVersion;
use floeberg_iceberg::metadata::json::{ObjectWriter, emit_map, emit_version};
use serde_json::{Map, Value as Json};

/// One change, in the vocabulary of the REST catalog specification. An id may be [`LAST_ADDED`](crate::LAST_ADDED).
#[derive(Debug, Clone, PartialEq)]
pub enum ViewUpdate {
    /// `assign-uuid`: gives the view its identity.
    AssignUuid(String),
    /// `upgrade-format-version`.
    UpgradeFormatVersion(u8),
    /// `add-schema`.
    AddSchema(Arc<Schema>),
    /// `set-location`.
    SetLocation(String),
    /// `set-properties`.
    SetProperties(BTreeMap<String, String>),
    /// `remove-properties`.
    RemoveProperties(Vec<String>),
    /// `add-view-version`.
    AddViewVersion(Arc<ViewVersion>),
    /// `set-current-view-version`.
    SetCurrentViewVersion(i32),
}

impl ViewUpdate {
    /// The name of the change.
    pub fn action(&self) -> &'static str {
        match self {
            Self::AssignUuid(_) => "assign-uuid",
            Self::UpgradeFormatVersion(_) => "upgrade-format-version",
            Self::AddSchema(_) => "add-schema",
            Self::SetLocation(_) => "set-location",
            Self::SetProperties(_) => "set-properties",
            Self::RemoveProperties(_) => "remove-properties",
            Self::AddViewVersion(_) => "add-view-version",
            Self::SetCurrentViewVersion(_) => "set-current-view-version",
        }
    }

    /// The change as JSON.
    pub fn to_json(&self) -> Result<Json> {
        let mut object = ObjectWriter::default();
        object.put("action", self.action());
        match self {
            Self::AssignUuid(uuid) => object.put("uuid", uuid.as_str()),
            Self::UpgradeFormatVersion(version) => object.put("format-version", *version),
            Self::AddSchema(schema) => object.put("schema", schema_to_json(schema)?),
            Self::SetLocation(location) => object.put("location", location.as_str()),
            Self::SetProperties(updates) => object.put("updates", emit_map(updates)),
            Self::RemoveProperties(names) => object.put("removals", names.clone()),
            Self::AddViewVersion(version) => object.put("view-version", emit_version(version)),
            Self::SetCurrentViewVersion(id) => object.put("view-version-id", *id),
        }
        Ok(object.finish(&Map::new()))
    }
}
