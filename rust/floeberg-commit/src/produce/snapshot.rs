//! How do manifests become a snapshot of a branch?
//!
//! In: the manifests of the new snapshot and its summary. Out: its manifest list, written, and the updates that add it.
//! Spec: Snapshots; Manifest Lists; Snapshot Row IDs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use floeberg_core::Result;
use floeberg_iceberg::manifest::{ManifestFile, ManifestListRequest, ManifestListWriter};
use floeberg_iceberg::metadata::{Snapshot, SnapshotManifests, SnapshotText, emit_encrypted_key};
use floeberg_io::EncryptedKey;
use serde_json::Map;

use super::context::ActionContext;
use super::manifest_options::manifest_options;
use super::unknown_fields::unknown_of_lists;
use crate::{MetadataRepair, RowCounts, RowProof, Update};

/// What an operation changes, and the metadata files that its snapshot needs.
#[derive(Debug, Default)]
pub(crate) struct Produced {
    /// The changes.
    pub updates: Vec<Update>,
    /// Manifests and manifest list of the new snapshot.
    pub files: BTreeSet<String>,
    /// The rows and files that the operation changes.
    pub counts: RowCounts,
    /// The parts of the metadata that are mended, besides the changes.
    pub repair: MetadataRepair,
    /// What proves that a repair leaves the rows as they are.
    pub row_proof: Option<RowProof>,
}

impl Produced {
    /// Changes without a snapshot.
    pub fn of(updates: Vec<Update>) -> Self {
        Self { updates, ..Self::default() }
    }
}

/// Writes the manifest list of a new snapshot, and makes the branch name it, unless it is staged.
pub(super) fn add_snapshot(
    context: &ActionContext<'_>,
    parent_snapshot_id: Option<i64>,
    operation: &str,
    manifests: &[ManifestFile],
    summary: BTreeMap<String, String>,
) -> Result<Produced> {
    let metadata = &context.metadata;
    let (snapshot_id, sequence_number) = (context.snapshot_id(), context.sequence_number()?);
    let first_row_id = (metadata.format_version >= 3).then(|| metadata.next_row_id.unwrap_or(0));
    let location = context.kept.name_manifest_list(&metadata.metadata_folder(), snapshot_id);
    let unknown = unknown_of_lists(manifests);
    let request = ManifestListRequest {
        location: &location,
        format_version: metadata.format_version,
        snapshot_id,
        parent_snapshot_id,
        sequence_number,
        first_row_id,
        unknown: &unknown,
    };
    let options = manifest_options(&metadata.properties)?;
    let mut writer = ManifestListWriter::new(Vec::new(), &request, &options)?;
    manifests.iter().try_for_each(|manifest| writer.add(manifest))?;
    let (bytes, list) = writer.finish()?;
    context.reader.cancel.check()?;
    context.kept.write(context.reader.store.as_ref(), &location, &[bytes])?;
    let list_key = match context.reader.store.keys() {
        Some(keys) => keys.list_key(&location, context.now_ms)?,
        None => None,
    };
    let mut files: BTreeSet<String> =
        manifests.iter().map(|manifest| manifest.manifest_path.clone()).collect();
    files.insert(location.clone());
    let added_rows = list.next_row_id.zip(first_row_id).map(|(next, first)| next.saturating_sub(first));
    let snapshot = Snapshot {
        snapshot_id,
        parent_snapshot_id,
        sequence_number,
        timestamp_ms: context.now_ms,
        manifests: SnapshotManifests::List(location),
        operation: Some(operation.to_owned()),
        summary: summary.into(),
        schema_id: Some(metadata.current_schema_id),
        first_row_id,
        added_rows,
        key_id: list_key.as_ref().map(|key| key.key_id.clone()),
        unknown_keys: Map::new(),
        text: SnapshotText::default(),
    };
    let known = metadata.parsed_encryption_keys()?;
    let is_new = |key: &EncryptedKey| known.iter().all(|known| known.key_id != key.key_id);
    let keys = list_key.into_iter().flat_map(|key| key.keys).filter(is_new);
    let mut updates: Vec<Update> =
        keys.map(|key| Update::AddEncryptionKey(emit_encrypted_key(&key))).collect();
    updates.push(Update::AddSnapshot(Arc::new(snapshot)));
    if !context.stage_only {
        updates.push(Update::SetSnapshotRef(context.branch.to_owned(), context.branch_at(snapshot_id)));
    }
    Ok(Produced { updates, files, ..Produced::default() })
}
