//! What is the metadata of a view? The format has one version.
//!
//! In: the parsed parts. Out: the current version, its schema, and the SQL of a dialect.
//! Spec: View Spec.
//!
//! Invariant: the current version and its schema exist, and a version has at most one SQL text per dialect.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use floeberg_core::schema::Schema;
use floeberg_core::{Error, Result};
use serde_json::{Map, Value as Json};

use super::identity::check_same;

/// The metadata of a view at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewMetadata {
    /// The view's identity.
    pub view_uuid: String,
    /// 1.
    pub format_version: u8,
    /// The base location, as written.
    pub location: String,
    /// All schemas.
    pub schemas: Vec<Arc<Schema>>,
    /// The version that counts.
    pub current_version_id: i32,
    /// All versions that are kept.
    pub versions: Vec<Arc<ViewVersion>>,
    /// When which version became current, oldest first. Its versions may be gone.
    pub version_log: Vec<VersionLogEntry>,
    /// Properties of the view.
    pub properties: BTreeMap<String, String>,
    /// JSON keys that this version does not know.
    pub unknown_keys: Map<String, Json>,
    /// The version that `current_version_id` names.
    pub(super) current: Arc<ViewVersion>,
}

/// The definition of a view, which never changes.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewVersion {
    /// The id.
    pub version_id: i32,
    /// The schema of its rows.
    pub schema_id: i32,
    /// When it was created, in milliseconds from 1970-01-01 UTC. It may have become current later.
    pub timestamp_ms: i64,
    /// The engine that made it, and other facts.
    pub summary: BTreeMap<String, String>,
    /// The same definition in several ways.
    pub representations: Vec<ViewRepresentation>,
    /// The catalog for names without one; `None` is the view's own.
    pub default_catalog: Option<String>,
    /// The namespace for names without one.
    pub default_namespace: Vec<String>,
    /// JSON keys that this version does not know.
    pub unknown_keys: Map<String, Json>,
}

/// One way of writing a definition.
#[derive(Debug, Clone, PartialEq)]
pub enum ViewRepresentation {
    /// A SELECT statement.
    Sql {
        /// The statement.
        sql: String,
        /// The dialect it is in: `spark`, `trino`, ...
        dialect: String,
        /// JSON keys that this version does not know.
        unknown_keys: Map<String, Json>,
    },
    /// Of a type that this version does not know, as written.
    Unknown(Json),
}

/// A version became current.
#[derive(Debug, Clone, PartialEq)]
pub struct VersionLogEntry {
    /// Milliseconds from 1970-01-01 UTC.
    pub timestamp_ms: i64,
    /// The version.
    pub version_id: i32,
    /// JSON keys that this version does not know.
    pub unknown_keys: Map<String, Json>,
}

impl ViewMetadata {
    /// The version that counts.
    pub fn current_version(&self) -> &Arc<ViewVersion> {
        &self.current
    }

    /// A version that is kept.
    pub fn version(&self, version_id: i32) -> Option<&Arc<ViewVersion>> {
        self.versions.iter().find(|version| version.version_id == version_id)
    }

    /// Checks that later metadata is of this view.
    ///
    /// Errors: `NotFound` if this view was dropped and another one created in its place.
    pub fn check_same_view(&self, later: &Self) -> Result<()> {
        check_same("view", Some(&self.view_uuid), Some(&later.view_uuid))
    }

    /// The schema of a version's rows. Errors: `InvalidData`, since only the view's own versions name schemas.
    pub fn schema_of(&self, version: &ViewVersion) -> Result<&Arc<Schema>> {
        self.schemas.iter().find(|schema| schema.schema_id() == version.schema_id).ok_or_else(|| {
            let ids: Vec<_> = self.schemas.iter().map(|schema| schema.schema_id()).collect();
            Error::invalid_data(format!(
                "version {} of the view has schema {}, but the view has only the schemas {ids:?}",
                version.version_id, version.schema_id
            ))
        })
    }
}

impl ViewVersion {
    /// The dialects of its statements, in lower case.
    pub fn dialects(&self) -> BTreeSet<String> {
        let dialects = self.representations.iter().filter_map(|representation| match representation {
            ViewRepresentation::Sql { dialect, .. } => Some(dialect.to_lowercase()),
            ViewRepresentation::Unknown(_) => None,
        });
        dialects.collect()
    }

    /// Would both give the same rows? Ids and times of versions do not count.
    pub fn is_same_definition(&self, other: &Self) -> bool {
        let Self { version_id: _, timestamp_ms: _, .. } = other;
        (self.schema_id, &self.summary, &self.representations)
            == (other.schema_id, &other.summary, &other.representations)
            && (&self.default_catalog, &self.default_namespace, &self.unknown_keys)
                == (&other.default_catalog, &other.default_namespace, &other.unknown_keys)
    }
}
