//! Which manifests does a snapshot have, and which entries do they have?
//!
//! Spec: Snapshots (`manifest-list`, and `manifests` in v1); Manifest Lists; Manifests.

use std::sync::Arc;

use bytes::Bytes;
use floeberg_core::schema::StructType;
use floeberg_core::{Cancel, Context, Error, Result};
use floeberg_io::{KeyRing, Relocation, Store};

use super::bytes::{LARGEST_MANIFEST, ManifestBytes};
use super::cache::ManifestCache;
use crate::manifest::{
    EntryRequest, ManifestContent, ManifestEntries, ManifestFile, manifest_header, parse_manifest_list,
};
use crate::metadata::{Snapshot, SnapshotManifests};
use floeberg_exec::threads::ordered;

/// Reads the manifests of a table.
#[derive(Debug, Clone)]
pub struct ManifestReader {
    /// Where they are read from.
    pub store: Arc<dyn Store>,
    /// The relocation of written locations.
    pub relocation: Arc<Relocation>,
    /// The cache of decoded manifests.
    pub cache: Arc<ManifestCache>,
    /// How many threads work, at least one.
    pub threads: usize,
    /// Stops the work between two manifests.
    pub cancel: Cancel,
    /// Does the server of a catalog demand to plan scans? Then no scan is planned with this reader.
    pub is_planned_by_server: bool,
}

impl ManifestReader {
    /// The manifests of a snapshot: its manifest list, or the headers of the manifests that a v1 snapshot names itself.
    ///
    /// Errors: those of the store; `InvalidData` for damaged files, naming them; `Unsupported` for an encrypted list.
    pub fn manifests(&self, snapshot: &Snapshot) -> Result<Vec<ManifestFile>> {
        let read = |written: &str| self.bytes(written);
        match &snapshot.manifests {
            SnapshotManifests::List(written) => {
                if let Some(key_id) = &snapshot.key_id {
                    let location = self.relocation.apply(written);
                    let found = self.keys("manifest list").and_then(|keys| keys.add_list(&location, key_id));
                    found.context("snapshot", snapshot.snapshot_id)?;
                }
                let (location, bytes) = read(written).context("snapshot", snapshot.snapshot_id)?;
                parse_manifest_list(&bytes, &location)
                    .context("path", &location)
                    .context("snapshot", snapshot.snapshot_id)
            }
            SnapshotManifests::Inline(paths) => ordered(paths, self.threads, &self.cancel, |written| {
                let (location, bytes) = read(written).context("snapshot", snapshot.snapshot_id)?;
                let header = manifest_header(&bytes).context("path", &location)?;
                // Manifests without this key are older, and have the first spec.
                let spec_id = header.partition_spec_id.unwrap_or(0);
                let length = bytes.len() as i64;
                Ok(ManifestFile::unlisted(written.clone(), length, spec_id, ManifestContent::Data))
            }),
        }
    }

    /// The entries of a manifest, with partition values of the type of its spec.
    ///
    /// Errors: those of the store; `InvalidData` for a damaged manifest, naming it; `Unsupported` for an encrypted one.
    pub fn entries(
        &self,
        manifest: &ManifestFile,
        partition_type: &StructType,
        wanted: &EntryRequest,
    ) -> Result<ManifestEntries> {
        self.open(manifest)?.entries(partition_type, wanted)
    }

    /// The location and the bytes of a manifest, or of a manifest list, by its written location.
    ///
    /// Errors: those of the store; `LimitExceeded` for a file that no manifest is as large as.
    pub fn bytes(&self, written: &str) -> Result<(String, Bytes)> {
        let location = self.relocation.apply(written);
        let bytes = self.store.open_unchanging(&location)?.read_all(LARGEST_MANIFEST)?;
        Ok((location, bytes))
    }

    /// Reads the bytes of a manifest.
    pub(crate) fn open(&self, manifest: &ManifestFile) -> Result<ManifestBytes> {
        if let Some(key_metadata) = &manifest.key_metadata {
            let keys = self.keys("manifest").context("path", &manifest.manifest_path)?;
            let length = u64::try_from(manifest.manifest_length).ok();
            keys.add(&self.relocation.apply(&manifest.manifest_path), key_metadata, length)?;
        }
        let (location, bytes) = self.bytes(&manifest.manifest_path)?;
        let keys = self.store.keys().map(|keys| (Arc::clone(keys), Arc::clone(&self.relocation)));
        Ok(ManifestBytes::new(manifest.clone(), location, bytes, self.cache.schemas()).with_keys(keys))
    }

    /// The keys of the table. Errors: `Unsupported` without a service that manages them.
    fn keys(&self, what: &str) -> Result<&Arc<KeyRing>> {
        self.store.keys().ok_or_else(|| {
            Error::unsupported(format!(
                "the {what} is encrypted, and nothing unwraps its key: open the table with `key_management`, or with the option \
                 `encryption.kms-impl`"
            ))
        })
    }
}
