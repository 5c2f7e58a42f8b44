//! What is the metadata of a view before its first version, and how does it stay consistent while it changes?
//!
//! Out: metadata without versions; and after a change of the current version, the version that is named.
//! Spec: View Spec, View Metadata.
//!
//! Invariant: the current version is found by its id alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::{Error, Result};
use serde_json::Map;

use super::{ViewMetadata, ViewVersion};

/// The one format version of views.
const FORMAT_VERSION: u8 = 1;

/// An unused id: an empty view has no version.
const NOTHING: i32 = -1;

impl ViewMetadata {
    /// A view without versions.
    pub fn empty() -> Self {
        Self {
            view_uuid: String::new(),
            format_version: FORMAT_VERSION,
            location: String::new(),
            schemas: Vec::new(),
            current_version_id: NOTHING,
            versions: Vec::new(),
            version_log: Vec::new(),
            properties: BTreeMap::new(),
            unknown_keys: Map::new(),
            current: Arc::new(ViewVersion {
                version_id: NOTHING,
                schema_id: NOTHING,
                timestamp_ms: 0,
                summary: BTreeMap::new(),
                representations: Vec::new(),
                default_catalog: None,
                default_namespace: Vec::new(),
                unknown_keys: Map::new(),
            }),
        }
    }

    /// Makes a version the current one. Errors: `InvalidInput` for an unknown id, and for a version without its schema.
    pub fn choose_version(&mut self, version_id: i32) -> Result<()> {
        let found = self.version(version_id).cloned();
        let found =
            found.ok_or_else(|| Error::invalid_input(format!("the view has no version {version_id}")))?;
        self.schema_of(&found).map_err(Error::of_input)?;
        self.current = found;
        self.current_version_id = version_id;
        Ok(())
    }

    /// Errors: `InvalidInput` if the uuid, the location or a current version is missing.
    pub fn check_whole(&self) -> Result<()> {
        let missing = [
            ("uuid", self.view_uuid.is_empty()),
            ("location", self.location.is_empty()),
            ("current version", self.current_version_id == NOTHING),
        ];
        match missing.iter().find(|(_, is_missing)| *is_missing) {
            Some((what, _)) => Err(Error::invalid_input(format!("a new view needs a {what}"))),
            None => Ok(()),
        }
    }
}
