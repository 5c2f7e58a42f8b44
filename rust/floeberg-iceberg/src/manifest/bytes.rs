//! Which entries does one manifest have, as columns?
//!
//! In: its bytes and its row of the manifest list. Out: all its entries, or those of a block range.
//! Spec: Manifests.
//!
//! Invariant: a manifest is read once, and its decompressed size is bounded, however it is split.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use floeberg_avro::{BlockRange, Limits, ParsedSchemas};
use floeberg_core::schema::StructType;
use floeberg_core::{Context, Error, Result};

use crate::manifest::{
    BlockEntries, EntryRequest, ManifestEntries, ManifestFile, cut_manifest, parse_block_range,
    parse_manifest_with,
};

/// No manifest or manifest list is larger than this: a guard against damaged lengths and hostile files.
pub(crate) const LARGEST_MANIFEST: u64 = 1 << 30;

/// The bytes of a manifest, to be decoded.
#[derive(Debug)]
pub(crate) struct ManifestBytes {
    manifest: ManifestFile,
    location: String,
    bytes: Bytes,
    schemas: Arc<ParsedSchemas>,
    /// Bytes of the block ranges so far, after decompression.
    inflated: AtomicU64,
}

impl ManifestBytes {
    /// Bytes that were read from a location, of a row of a manifest list.
    pub fn new(manifest: ManifestFile, location: String, bytes: Bytes, schemas: Arc<ParsedSchemas>) -> Self {
        Self { manifest, location, bytes, schemas, inflated: AtomicU64::new(0) }
    }

    /// Decodes the entries.
    pub fn entries(&self, partition_type: &StructType, wanted: &EntryRequest) -> Result<ManifestEntries> {
        parse_manifest_with(&self.schemas, &self.bytes, &self.manifest, partition_type, wanted)
            .context("path", &self.location)
    }

    /// Block ranges of at most about this many stored bytes.
    pub fn block_ranges(&self, most_bytes: usize) -> Result<Vec<BlockRange>> {
        cut_manifest(&self.bytes, &self.manifest, most_bytes).context("path", &self.location)
    }

    /// Decodes the entries of a block range.
    pub fn entries_of(
        &self,
        blocks: &BlockRange,
        partition_type: &StructType,
        wanted: &EntryRequest,
    ) -> Result<BlockEntries> {
        let parsed =
            parse_block_range(&self.schemas, &self.bytes, blocks, &self.manifest, partition_type, wanted)
                .context("path", &self.location)?;
        let before = self.inflated.fetch_add(parsed.inflated, Ordering::Relaxed);
        let most = Limits::default().file_bytes;
        if before.saturating_add(parsed.inflated) > most {
            return Err(Error::limit(format!("a manifest decompresses to more than {most} bytes"))
                .with("path", &self.location));
        }
        Ok(parsed)
    }
}
