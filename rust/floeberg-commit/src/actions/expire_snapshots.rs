//! Which snapshots, branches and tags of a table expire?
//!
//! Spec: Snapshot Retention Policy.
//!
//! ```text
//! ref       goes once its snapshot is older than max-ref-age-ms; main never
//! branch    keeps its newest snapshots: min-snapshots-to-keep at least, and those younger than max-snapshot-age-ms up to the
//!           first one that is not
//! tag       keeps its snapshot
//! others    snapshots that no branch or tag leads to stay while they are young
//! ```
//!
//! Invariant: what a branch or a tag names stays. Files are not removed here: the commit comes first.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use floeberg_core::{Error, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::ManifestContent;
use floeberg_iceberg::metadata::{MAIN_BRANCH, RefKind, Snapshot, SnapshotRef, TableMetadata};
use floeberg_properties::{GC, MAX_REF_AGE, MAX_SNAPSHOT_AGE, MIN_SNAPSHOTS_TO_KEEP};

use crate::produce::{ActionContext, Produced};
use crate::{Expiry, Update};

/// Expires snapshots, and refs whose age says so.
///
/// Errors: `InvalidInput` where `gc.enabled` is `false`, for a snapshot that a branch or a tag names, and for a property that is no
/// number; `NotFound` for a snapshot that the table does not have.
pub(super) fn expire_snapshots(context: &ActionContext<'_>, expiry: &Expiry) -> Result<Produced> {
    let metadata = context.metadata.as_ref();
    if !GC.of(&metadata.properties)? {
        return Err(Error::invalid_input(
            "snapshots cannot expire, since the property gc.enabled is false: other tables may use the same files",
        ));
    }
    expiry.snapshot_ids.iter().try_for_each(|id| metadata.snapshot(*id).map(drop))?;
    let retention = Retention::new(metadata, expiry, context.now_ms)?;
    let refs = if expiry.only_ids { every_ref(metadata) } else { retention.refs(metadata) };
    let gone_refs: Vec<&String> =
        metadata.refs.keys().filter(|name| !refs.contains_key(name.as_str())).collect();
    check_unnamed(&refs, &expiry.snapshot_ids)?;
    let kept = retention.snapshots(metadata, &refs);
    let wanted: HashSet<i64> = expiry.snapshot_ids.iter().copied().collect();
    let stays = |snapshot: &Snapshot| {
        (expiry.only_ids || kept.contains(&snapshot.snapshot_id)) && !wanted.contains(&snapshot.snapshot_id)
    };
    let (left, gone): (Vec<_>, Vec<_>) = metadata.snapshots.iter().partition(|snapshot| stays(snapshot));
    let mut updates: Vec<Update> =
        gone_refs.into_iter().map(|name| Update::RemoveSnapshotRef(name.clone())).collect();
    if !gone.is_empty() {
        updates.push(Update::RemoveSnapshots(gone.iter().map(|snapshot| snapshot.snapshot_id).collect()));
    }
    if expiry.clean_expired_metadata {
        updates.extend(unused(context, &left)?);
    }
    Ok(Produced::of(updates))
}

fn every_ref(metadata: &TableMetadata) -> BTreeMap<&str, &SnapshotRef> {
    metadata.refs.iter().map(|(name, reference)| (name.as_str(), reference)).collect()
}

/// How long things stay.
struct Retention {
    now_ms: i64,
    older_than_ms: i64,
    least: usize,
    max_ref_age_ms: i64,
}

impl Retention {
    fn new(metadata: &TableMetadata, expiry: &Expiry, now_ms: i64) -> Result<Self> {
        let properties = &metadata.properties;
        let age = i64::try_from(MAX_SNAPSHOT_AGE.of(properties)?).unwrap_or(i64::MAX);
        let least = MIN_SNAPSHOTS_TO_KEEP.of(properties)?;
        let least = expiry.retain_last.map_or(least, u64::from);
        let max_ref_age_ms = MAX_REF_AGE.if_set(properties)?;
        Ok(Self {
            now_ms,
            older_than_ms: expiry.older_than_ms.unwrap_or(now_ms.saturating_sub(age)),
            least: usize::try_from(least).unwrap_or(usize::MAX),
            max_ref_age_ms: max_ref_age_ms.and_then(|age| i64::try_from(age).ok()).unwrap_or(i64::MAX),
        })
    }

    /// The refs that stay.
    fn refs<'a>(&self, metadata: &'a TableMetadata) -> BTreeMap<&'a str, &'a SnapshotRef> {
        let by_id = metadata.snapshots_by_id();
        let is_young = |reference: &SnapshotRef| {
            let most = reference.max_ref_age_ms.unwrap_or(self.max_ref_age_ms);
            // A ref to a snapshot that is not there leads nowhere.
            by_id
                .get(&reference.snapshot_id)
                .is_some_and(|snapshot| self.now_ms.saturating_sub(snapshot.timestamp_ms) <= most)
        };
        let named = metadata.refs.iter().map(|(name, reference)| (name.as_str(), reference));
        named.filter(|(name, reference)| *name == MAIN_BRANCH || is_young(reference)).collect()
    }

    /// The ids of the snapshots that stay.
    fn snapshots(&self, metadata: &TableMetadata, refs: &BTreeMap<&str, &SnapshotRef>) -> HashSet<i64> {
        let (mut kept, mut led_to) = (HashSet::new(), HashSet::new());
        for reference in refs.values() {
            kept.insert(reference.snapshot_id);
            led_to.insert(reference.snapshot_id);
            if reference.kind == RefKind::Branch {
                let line = metadata.ancestors_of(reference.snapshot_id);
                led_to.extend(line.iter().map(|snapshot| snapshot.snapshot_id));
                kept.extend(self.of_branch(reference, &line));
            }
        }
        let is_young = |snapshot: &&Arc<Snapshot>| snapshot.timestamp_ms >= self.older_than_ms;
        let others = metadata.snapshots.iter().filter(|snapshot| !led_to.contains(&snapshot.snapshot_id));
        kept.extend(others.filter(is_young).map(|snapshot| snapshot.snapshot_id));
        kept
    }

    /// The newest snapshots of a branch.
    fn of_branch(&self, branch: &SnapshotRef, line: &[Arc<Snapshot>]) -> Vec<i64> {
        let least = branch.min_snapshots_to_keep.map(|least| usize::try_from(least).unwrap_or(1));
        let least = least.unwrap_or(self.least).max(1);
        let older_than = branch.max_snapshot_age_ms.map(|age| self.now_ms.saturating_sub(age));
        let older_than = older_than.unwrap_or(self.older_than_ms);
        let stays = |(number, snapshot): &(usize, &Arc<Snapshot>)| {
            *number < least || snapshot.timestamp_ms >= older_than
        };
        line.iter().enumerate().take_while(stays).map(|(_, snapshot)| snapshot.snapshot_id).collect()
    }
}

/// Errors: `InvalidInput` where a snapshot that is to expire is named by a ref that stays.
fn check_unnamed(refs: &BTreeMap<&str, &SnapshotRef>, snapshot_ids: &[i64]) -> Result<()> {
    let wanted: HashSet<&i64> = snapshot_ids.iter().collect();
    match refs.iter().find(|(_, reference)| wanted.contains(&reference.snapshot_id)) {
        None => Ok(()),
        Some((name, reference)) => {
            let message = format!(
                "snapshot {} cannot expire, since {name:?} names it: move or remove this {} first",
                reference.snapshot_id,
                if reference.kind == RefKind::Tag { "tag" } else { "branch" }
            );
            Err(Error::invalid_input(message))
        }
    }
}

/// Removes schemas and specs that neither the table nor a snapshot that stays uses.
fn unused(context: &ActionContext<'_>, left: &[&Arc<Snapshot>]) -> Result<Vec<Update>> {
    let (metadata, reader) = (context.metadata.as_ref(), context.reader);
    let mut schemas: BTreeSet<i32> = left.iter().filter_map(|snapshot| snapshot.schema_id).collect();
    // Which schema a snapshot without an id has is not known.
    let all_known = left.iter().all(|snapshot| snapshot.schema_id.is_some());
    schemas.insert(metadata.current_schema_id);
    let lists = ordered(left, reader.threads, &reader.cancel, |snapshot| reader.manifests(snapshot))?;
    let mut specs: BTreeSet<i32> =
        lists.iter().flatten().map(|manifest| manifest.partition_spec_id).collect();
    specs.insert(metadata.default_spec_id);
    let known = metadata.partition_specs.iter().map(|spec| spec.spec_id);
    let gone_specs: Vec<i32> = known.filter(|id| !specs.contains(id)).collect();
    let known = metadata.schemas.iter().map(|schema| schema.schema_id());
    // Equality deletes compare columns that only older schemas may have.
    let has_deletes = lists.iter().flatten().any(|manifest| {
        manifest.content == ManifestContent::Deletes
            && (manifest.added_files_count != Some(0) || manifest.existing_files_count != Some(0))
    });
    let keeps_all = has_deletes || !all_known;
    let gone_schemas: Vec<i32> = known.filter(|id| !keeps_all && !schemas.contains(id)).collect();
    let mut updates = Vec::new();
    if !gone_specs.is_empty() {
        updates.push(Update::RemovePartitionSpecs(gone_specs));
    }
    if !gone_schemas.is_empty() {
        updates.push(Update::RemoveSchemas(gone_schemas));
    }
    Ok(updates)
}
