//! Which manifests does a snapshot name?
//!
//! Spec: Snapshots (`manifest-list`, and `manifests` in v1); Manifest Lists.

use floeberg_core::{Context, Error, Result};

use super::manifest_bytes::LARGEST_MANIFEST;
use crate::manifest::{ManifestContent, ManifestFile, manifest_header, parse_manifest_list};
use crate::metadata::{Snapshot, SnapshotManifests};
use crate::plan::request::PlanRequest;
use crate::threads::ordered;

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
            ordered(paths, request.threads, &request.cancel, |written| {
                let (location, bytes) = read(written).context("snapshot", snapshot.snapshot_id)?;
                let header = manifest_header(&bytes).context("path", &location)?;
                // Manifests from before the key was written are of the first spec.
                let spec_id = header.partition_spec_id.unwrap_or(0);
                let length = bytes.len() as i64;
                Ok(ManifestFile::unlisted(written.clone(), length, spec_id, ManifestContent::Data))
            })
        }
    }
}
