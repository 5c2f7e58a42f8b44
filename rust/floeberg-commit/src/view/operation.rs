//! What is to be done to a view?
//!
//! A description without a base, and the updates that it means on a base.
//! Spec: View Spec, Versions, Representations.
//!
//! Invariant: what the view has already is not added again: an equal schema and an equal version keep their ids, as in
//! Iceberg Java.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::schema::Schema;
use floeberg_core::schema::json::schema_from_json;
use floeberg_core::{Error, ErrorKind, Result};
use floeberg_iceberg::metadata::json::parse_version;
use floeberg_iceberg::metadata::{ViewMetadata, ViewRepresentation, ViewVersion};
use floeberg_iceberg::wire::json::JsonPath;
use floeberg_io::location::without_end_slashes;
use floeberg_properties::{REPLACE_DROP_DIALECT_ALLOWED, VERSION_HISTORY_SIZE, VIEW_METADATA_CODEC};
use serde_json::Value as Json;

use super::ViewUpdate;
use super::builder::{find_schema, find_version};
use crate::LAST_ADDED;
use floeberg_io::random::random_uuid;

/// The first id of a version, as in Iceberg Java.
const FIRST_VERSION: i32 = 1;

/// The format version whose types a schema of a view may have.
const SCHEMA_FORMAT_VERSION: u8 = 3;

/// An operation on a view.
#[derive(Debug, Clone, PartialEq)]
pub enum ViewOperation {
    /// Makes the view.
    Create(Box<NewView>),
    /// Makes another version the current one.
    Replace {
        /// The version.
        version: Box<NewVersion>,
        /// The version that must still be current; `None` replaces any.
        expected_version_id: Option<i32>,
        /// Properties to set.
        properties: BTreeMap<String, String>,
        /// Another location.
        location: Option<String>,
    },
    /// Sets and removes properties.
    UpdateProperties {
        /// The properties to set.
        updates: BTreeMap<String, String>,
        /// The names of those to remove.
        removals: Vec<String>,
    },
    /// Sets the location of new metadata files.
    SetLocation(String),
}

/// A view to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct NewView {
    /// Its first version.
    pub version: NewVersion,
    /// Its location.
    pub location: String,
    /// Its properties.
    pub properties: BTreeMap<String, String>,
}

/// A version to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct NewVersion {
    /// The schema as it was given.
    schema: Schema,
    /// The schema with ids from 1.
    fresh: Schema,
    version: ViewVersion,
}

impl NewVersion {
    /// A version from the JSON of a schema and of a version. Their own ids do not count: the view assigns them.
    ///
    /// Errors: `InvalidInput` for damaged JSON, two statements of one dialect, and a version without a statement.
    pub fn from_json(schema: &Json, version: Json) -> Result<Self> {
        let schema = schema_from_json(schema).map_err(Error::of_input)?;
        let (fresh, _) = schema.with_fresh_ids()?;
        // Ids of engines may be 0, which the view may have already.
        fresh.check_to_write(SCHEMA_FORMAT_VERSION)?;
        let version = parse_version(version, &JsonPath::root("view version")).map_err(Error::of_input)?;
        check_statements(&version)?;
        Ok(Self { schema, fresh, version: Arc::unwrap_or_clone(version) })
    }

    /// The updates that make it the current version.
    fn updates(&self, base: &ViewMetadata, now_ms: i64) -> Result<Vec<ViewUpdate>> {
        let mut updates = Vec::new();
        let known = find_schema(base, &self.schema).or_else(|| find_schema(base, &self.fresh));
        let schema_id = if let Some(known) = known {
            known.schema_id()
        } else {
            updates.push(ViewUpdate::AddSchema(Arc::new(self.fresh.clone())));
            LAST_ADDED
        };
        let version = ViewVersion { schema_id, timestamp_ms: now_ms, ..self.version.clone() };
        if let Some(known) = find_version(base, &version) {
            if known.version_id != base.current_version_id {
                updates.push(ViewUpdate::SetCurrentViewVersion(known.version_id));
            }
            return Ok(updates);
        }
        let highest = base.versions.iter().map(|known| known.version_id).max();
        let version_id = highest.map_or(Some(FIRST_VERSION), |highest| highest.checked_add(1));
        let version_id = version_id
            .ok_or_else(|| Error::invalid_input("no version id is left for a new version of the view"))?;
        updates.push(ViewUpdate::AddViewVersion(Arc::new(ViewVersion { version_id, ..version })));
        updates.push(ViewUpdate::SetCurrentViewVersion(LAST_ADDED));
        Ok(updates)
    }
}

impl ViewOperation {
    /// The updates that it means on a base.
    ///
    /// Errors: `AlreadyExists` for a view to be made that is there; `CommitConflict` if another writer replaced the version that
    /// was to be replaced, or dropped the view; `InvalidInput` for a property whose value cannot be followed.
    pub(super) fn updates(&self, base: Option<&ViewMetadata>, now_ms: i64) -> Result<Vec<ViewUpdate>> {
        match (self, base) {
            (Self::Create(_), Some(_)) => {
                Err(Error::new(ErrorKind::AlreadyExists, "the view exists already"))
            }
            (Self::Create(view), None) => view.updates(now_ms),
            (_, None) => Err(Error::new(ErrorKind::CommitConflict, "the view does not exist any more")),
            (Self::Replace { version, expected_version_id, properties, location }, Some(base)) => {
                check_current(base, *expected_version_id)?;
                let mut updates: Vec<_> = set_properties(base, properties)?.into_iter().collect();
                updates.extend(version.updates(base, now_ms)?);
                updates.extend(location.as_deref().and_then(|location| set_location(base, location)));
                Ok(updates)
            }
            (Self::UpdateProperties { updates, removals }, Some(base)) => {
                let mut changes: Vec<_> = set_properties(base, updates)?.into_iter().collect();
                let there = |name: &&String| base.properties.contains_key(*name);
                let removals: Vec<String> = removals.iter().filter(there).cloned().collect();
                if !removals.is_empty() {
                    changes.push(ViewUpdate::RemoveProperties(removals));
                }
                Ok(changes)
            }
            (Self::SetLocation(location), Some(base)) => {
                Ok(set_location(base, location).into_iter().collect())
            }
        }
    }
}

impl NewView {
    fn updates(&self, now_ms: i64) -> Result<Vec<ViewUpdate>> {
        let empty = ViewMetadata::empty();
        let mut updates = vec![
            ViewUpdate::AssignUuid(random_uuid()),
            ViewUpdate::UpgradeFormatVersion(empty.format_version),
            ViewUpdate::SetLocation(without_end_slashes(&self.location).to_owned()),
        ];
        updates.extend(set_properties(&empty, &self.properties)?);
        updates.extend(self.version.updates(&empty, now_ms)?);
        Ok(updates)
    }
}

/// Errors: `InvalidInput`.
fn check_statements(version: &ViewVersion) -> Result<()> {
    let mut statements = 0;
    for representation in &version.representations {
        let ViewRepresentation::Sql { sql, dialect, .. } = representation else { continue };
        statements += 1;
        if dialect.trim().is_empty() {
            return Err(Error::invalid_input("the dialect of a view's statement cannot be empty"));
        }
        if sql.trim().is_empty() {
            return Err(Error::invalid_input(format!("the statement in the dialect {dialect:?} is empty")));
        }
    }
    if statements == 0 {
        return Err(Error::invalid_input("a view needs a statement: give its SQL in one dialect or more"));
    }
    Ok(())
}

/// Errors: `CommitConflict`.
fn check_current(base: &ViewMetadata, expected_version_id: Option<i32>) -> Result<()> {
    match expected_version_id {
        Some(expected) if expected != base.current_version_id => Err(Error::new(
            ErrorKind::CommitConflict,
            format!(
                "another writer replaced the view: expected the current version {expected}, found {}",
                base.current_version_id
            ),
        )),
        _ => Ok(()),
    }
}

/// Sets the properties that do not have these values yet. Errors: `InvalidInput`, naming the property.
fn set_properties(base: &ViewMetadata, properties: &BTreeMap<String, String>) -> Result<Option<ViewUpdate>> {
    VERSION_HISTORY_SIZE.of(properties)?;
    REPLACE_DROP_DIALECT_ALLOWED.of(properties)?;
    VIEW_METADATA_CODEC.of(properties)?;
    let is_new = |(name, value): &(&String, &String)| base.properties.get(*name) != Some(*value);
    let new: BTreeMap<String, String> =
        properties.iter().filter(is_new).map(|(name, value)| (name.clone(), value.clone())).collect();
    Ok((!new.is_empty()).then_some(ViewUpdate::SetProperties(new)))
}

fn set_location(base: &ViewMetadata, location: &str) -> Option<ViewUpdate> {
    let location = without_end_slashes(location);
    (base.location != location).then(|| ViewUpdate::SetLocation(location.to_owned()))
}
