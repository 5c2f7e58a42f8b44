//! What is a view after a commit?
//!
//! In: the metadata before, requirements and updates. Out: the metadata after, whole.
//! Spec: View Spec, View Metadata; REST catalog specification, `ViewUpdate`.
//!
//! Invariant: versions never change, and no version with a statement is lost in silence: the current version and those that
//! the commit adds are kept, and a dialect is dropped only where the view's properties allow it.

use std::collections::HashSet;
use std::sync::Arc;

use floeberg_core::schema::Schema;
use floeberg_core::{Context, Error, Result};
use floeberg_iceberg::metadata::{VersionLogEntry, ViewMetadata, ViewVersion};
use floeberg_properties::{REPLACE_DROP_DIALECT_ALLOWED, VERSION_HISTORY_SIZE};
use serde_json::Map;

use super::{ViewRequirement, ViewUpdate};
use crate::apply::{named, next_id};

/// Applies a commit at a time in milliseconds from 1970-01-01 UTC. Without a base the view is created.
///
/// Errors: `CommitConflict` if a requirement does not hold; `InvalidInput` for updates that the view does not allow.
pub fn apply_to_view(
    base: Option<&ViewMetadata>,
    requirements: &[ViewRequirement],
    updates: &[ViewUpdate],
    now_ms: i64,
) -> Result<ViewMetadata> {
    requirements.iter().try_for_each(|requirement| requirement.check(base))?;
    let mut builder = ViewMetadataBuilder::begin(base, now_ms);
    for update in updates {
        builder.apply(update).context("update", update.action())?;
    }
    builder.finish()
}

/// A view that is being changed.
struct ViewMetadataBuilder {
    metadata: ViewMetadata,
    /// The version that was current before.
    previous: Option<Arc<ViewVersion>>,
    now_ms: i64,
    added_versions: HashSet<i32>,
    last_added_version: Option<i32>,
    last_added_schema: Option<i32>,
}

impl ViewMetadataBuilder {
    /// Begins with the base, or with an empty view.
    fn begin(base: Option<&ViewMetadata>, now_ms: i64) -> Self {
        let metadata = base.map_or_else(ViewMetadata::empty, Clone::clone);
        // Clocks differ. The time of a view must never decrease.
        let last = metadata.version_log.last().map_or(0, |entry| entry.timestamp_ms);
        Self {
            previous: base.map(|base| Arc::clone(base.current_version())),
            now_ms: now_ms.max(last),
            metadata,
            added_versions: HashSet::new(),
            last_added_version: None,
            last_added_schema: None,
        }
    }

    fn apply(&mut self, update: &ViewUpdate) -> Result<()> {
        match update {
            ViewUpdate::AssignUuid(uuid) => return self.assign_uuid(uuid),
            ViewUpdate::UpgradeFormatVersion(version) => return self.upgrade(*version),
            ViewUpdate::AddSchema(schema) => return self.add_schema(schema),
            ViewUpdate::AddViewVersion(version) => return self.add_version(version),
            ViewUpdate::SetCurrentViewVersion(id) => return self.set_current_version(*id),
            ViewUpdate::SetLocation(location) => location.clone_into(&mut self.metadata.location),
            ViewUpdate::SetProperties(updates) => self.metadata.properties.extend(updates.clone()),
            ViewUpdate::RemoveProperties(names) => {
                self.metadata.properties.retain(|name, _| !names.contains(name));
            }
        }
        Ok(())
    }

    fn assign_uuid(&mut self, uuid: &str) -> Result<()> {
        let known = &self.metadata.view_uuid;
        if !known.is_empty() && !known.eq_ignore_ascii_case(uuid) {
            return Err(Error::invalid_input(format!(
                "the view has the uuid {known}, and a uuid cannot change"
            )));
        }
        uuid.clone_into(&mut self.metadata.view_uuid);
        Ok(())
    }

    fn upgrade(&self, version: u8) -> Result<()> {
        if version == self.metadata.format_version {
            return Ok(());
        }
        Err(Error::unsupported(format!("expected format version 1 of a view, found {version}")))
    }

    fn add_schema(&mut self, schema: &Arc<Schema>) -> Result<()> {
        let known = find_schema(&self.metadata, schema).map(|known| known.schema_id());
        let id = if let Some(id) = known {
            id
        } else {
            let id = next_id(self.metadata.schemas.iter().map(|known| known.schema_id()))?;
            let added = Schema::new(id, schema.fields().to_vec())?
                .with_identifier_field_ids(schema.identifier_field_ids().to_vec())
                .with_unknown_keys(schema.unknown_keys().clone());
            self.metadata.schemas.push(Arc::new(added));
            id
        };
        self.last_added_schema = Some(id);
        Ok(())
    }

    fn add_version(&mut self, version: &Arc<ViewVersion>) -> Result<()> {
        let schema_id = named(version.schema_id, self.last_added_schema, "schema")?;
        let added = ViewVersion { schema_id, ..ViewVersion::clone(version) };
        if let Some(known) = find_version(&self.metadata, &added) {
            self.last_added_version = Some(known.version_id);
            return Ok(());
        }
        let after = next_id(self.metadata.versions.iter().map(|known| known.version_id))?;
        let version_id = added.version_id.max(after);
        let timestamp_ms = added.timestamp_ms.max(self.now_ms);
        let added = ViewVersion { version_id, timestamp_ms, ..added };
        self.metadata.schema_of(&added).map_err(Error::of_input)?;
        self.metadata.versions.push(Arc::new(added));
        self.added_versions.insert(version_id);
        self.last_added_version = Some(version_id);
        Ok(())
    }

    fn set_current_version(&mut self, id: i32) -> Result<()> {
        let version_id = named(id, self.last_added_version, "version")?;
        if version_id == self.metadata.current_version_id {
            return Ok(());
        }
        self.metadata.choose_version(version_id)?;
        let created = self.metadata.current_version().timestamp_ms;
        let is_new = self.added_versions.contains(&version_id);
        let timestamp_ms = if is_new { created } else { self.now_ms };
        let entry = VersionLogEntry { timestamp_ms, version_id, unknown_keys: Map::new() };
        self.metadata.version_log.push(entry);
        Ok(())
    }

    /// The view after the commit.
    ///
    /// Errors: `InvalidInput` for a new view that lacks a part, for a dialect that is lost, and for a property with a wrong value.
    fn finish(mut self) -> Result<ViewMetadata> {
        self.metadata.check_whole()?;
        self.check_dialects()?;
        self.expire_versions()?;
        Ok(self.metadata)
    }

    fn check_dialects(&self) -> Result<()> {
        let properties = &self.metadata.properties;
        let Some(previous) = &self.previous else { return Ok(()) };
        let (before, after) = (previous.dialects(), self.metadata.current_version().dialects());
        let lost: Vec<_> = before.difference(&after).map(String::as_str).collect();
        if lost.is_empty() || REPLACE_DROP_DIALECT_ALLOWED.of(properties)? {
            return Ok(());
        }
        let after: Vec<_> = after.iter().map(String::as_str).collect();
        Err(Error::invalid_input(format!(
            "the new version would lose the dialects {}, and has only {}: give the statement in them too, or set the \
             property {:?} to true",
            lost.join(", "),
            after.join(", "),
            REPLACE_DROP_DIALECT_ALLOWED.name
        )))
    }

    /// Keeps the newest versions, those of this commit, and the current one.
    fn expire_versions(&mut self) -> Result<()> {
        let asked = VERSION_HISTORY_SIZE.of(&self.metadata.properties)?;
        let current = self.metadata.current_version_id;
        let own = self.added_versions.iter().filter(|id| **id != current).count() + 1;
        let keep = usize::try_from(asked).unwrap_or(usize::MAX).max(own);
        if self.metadata.versions.len() <= keep {
            return Ok(());
        }
        let mut others: Vec<i32> = self.metadata.versions.iter().map(|version| version.version_id).collect();
        others.retain(|id| *id != current);
        // Ids rise.
        others.sort_unstable_by(|left, right| right.cmp(left));
        let mut kept: HashSet<i32> = others.into_iter().take(keep - 1).collect();
        kept.insert(current);
        self.metadata.versions.retain(|version| kept.contains(&version.version_id));
        // The log is of an uninterrupted time: what is before a version that is gone, goes too.
        let log = &mut self.metadata.version_log;
        let gone = log.iter().rposition(|entry| !kept.contains(&entry.version_id));
        log.drain(..gone.map_or(0, |last| last + 1));
        Ok(())
    }
}

/// The schema of a view that is the same but for its id.
pub(super) fn find_schema<'a>(metadata: &'a ViewMetadata, wanted: &Schema) -> Option<&'a Arc<Schema>> {
    metadata.schemas.iter().find(|known| {
        known.as_struct() == wanted.as_struct()
            && known.identifier_field_ids() == wanted.identifier_field_ids()
    })
}

/// The version of a view that has the same definition.
pub(super) fn find_version<'a>(
    metadata: &'a ViewMetadata,
    wanted: &ViewVersion,
) -> Option<&'a Arc<ViewVersion>> {
    metadata.versions.iter().find(|known| known.is_same_definition(wanted))
}
