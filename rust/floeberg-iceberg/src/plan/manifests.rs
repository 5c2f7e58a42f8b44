//! Which manifests does a snapshot name?
//!
//! Spec: Snapshots (`manifest-list`, and `manifests` in v1); Manifest Lists.

use floeberg_core::{Context, Error, Result};

use super::parallel;
use super::planner::{LARGEST_MANIFEST, PlanRequest};
use crate::metadata::{
    ManifestContent, ManifestFile, Snapshot, SnapshotManifests, manifest_header, parse_manifest_list,
};

/// Reads a snapshot's manifest list, or the headers of the manifests that a v1 snapshot names itself.
pub(crate) fn read_manifests_of(request: &PlanRequest, snapshot: &Snapshot) -> Result<Vec<ManifestFile>> {
    let read = |written: &str| -> Result<_> {
        let location = request.relocation.apply(written);
        let bytes = request.store.open(&location)?.read_all(LARGEST_MANIFEST)?;
        Ok((location, bytes))
    };
    match &snapshot.manifests {
        SnapshotManifests::List(_) if snapshot.key_id.is_some() => {
            Err(Error::unsupported("the manifest list is encrypted, and encrypted tables cannot be read")
                .with("snapshot", snapshot.snapshot_id))
        }
        SnapshotManifests::List(written) => {
            let (location, bytes) = read(written).context("snapshot", snapshot.snapshot_id)?;
            parse_manifest_list(&bytes, &location)
                .context("path", &location)
                .context("snapshot", snapshot.snapshot_id)
        }
        SnapshotManifests::Inline(paths) => {
            parallel::ordered(paths, request.threads, &request.cancel, |written| {
                let (location, bytes) = read(written).context("snapshot", snapshot.snapshot_id)?;
                let header = manifest_header(&bytes).context("path", &location)?;
                Ok(ManifestFile {
                    manifest_path: written.clone(),
                    manifest_length: bytes.len() as i64,
                    // Manifests from before the key was written are of the first spec.
                    partition_spec_id: header.partition_spec_id.unwrap_or(0),
                    content: ManifestContent::Data,
                    sequence_number: 0,
                    min_sequence_number: 0,
                    added_snapshot_id: None,
                    added_files_count: None,
                    existing_files_count: None,
                    deleted_files_count: None,
                    added_rows_count: None,
                    existing_rows_count: None,
                    deleted_rows_count: None,
                    partitions: None,
                    key_metadata: None,
                    first_row_id: None,
                })
            })
        }
    }
}
