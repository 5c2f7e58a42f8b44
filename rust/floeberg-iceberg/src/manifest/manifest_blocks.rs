//! How is the work on a manifest split between threads?
//!
//! In: a row of the manifest list, and its cached block ranges. Out: its block ranges, decoded or still to decode.
//!
//! Invariant: a manifest is read only if the cached block ranges are not enough.

use std::sync::Arc;

use floeberg_avro::BlockRange;
use floeberg_core::Result;

use super::bytes::ManifestBytes;
use super::reader::ManifestReader;
use crate::manifest::{BlockEntries, ManifestFile};

/// The most stored bytes of a manifest per block range: some thousands of entries.
const MOST_BYTES: u64 = 2 << 20;
/// The fewest bytes per block range: opening one costs about as much as some hundred entries.
const LEAST_BYTES: u64 = 256 << 10;
/// Block ranges per thread: enough that no thread waits long for the others.
const RANGES_A_THREAD: u64 = 4;

/// A piece of a manifest.
#[derive(Debug)]
pub(crate) struct ManifestBlocks {
    /// The row of the manifest list.
    pub manifest: Arc<ManifestFile>,
    /// The number of the piece, and how many pieces the manifest has.
    pub place: (usize, usize),
    source: Source,
}

#[derive(Debug)]
enum Source {
    Decoded(Arc<BlockEntries>),
    Stored(Arc<ManifestBytes>, BlockRange),
}

impl ManifestBlocks {
    /// The pieces of a manifest that was decoded before.
    pub fn decoded(manifest: ManifestFile, ranges: Vec<Arc<BlockEntries>>) -> Vec<Self> {
        let (manifest, count) = (Arc::new(manifest), ranges.len());
        let each = |(number, entries)| Self {
            manifest: Arc::clone(&manifest),
            place: (number, count),
            source: Source::Decoded(entries),
        };
        ranges.into_iter().enumerate().map(each).collect()
    }

    /// Reads a manifest and splits it into pieces of at most about this many bytes.
    pub fn read(reader: &ManifestReader, manifest: ManifestFile, most_bytes: usize) -> Result<Vec<Self>> {
        let bytes = Arc::new(reader.open(&manifest)?);
        let ranges = bytes.block_ranges(most_bytes)?;
        let (manifest, count) = (Arc::new(manifest), ranges.len());
        let each = |(number, blocks)| Self {
            manifest: Arc::clone(&manifest),
            place: (number, count),
            source: Source::Stored(Arc::clone(&bytes), blocks),
        };
        Ok(ranges.into_iter().enumerate().map(each).collect())
    }

    /// Its entries, cached or decoded now.
    pub fn entries(
        &self,
        decode: impl FnOnce(&ManifestBytes, &BlockRange) -> Result<Arc<BlockEntries>>,
    ) -> Result<Arc<BlockEntries>> {
        match &self.source {
            Source::Decoded(entries) => Ok(Arc::clone(entries)),
            Source::Stored(bytes, blocks) => decode(bytes, blocks),
        }
    }
}

/// The size of the pieces of some manifests that shares the work evenly between this many threads.
pub(crate) fn block_range_bytes(manifests: &[ManifestFile], threads: usize) -> usize {
    let lengths = manifests.iter().map(|manifest| u64::try_from(manifest.manifest_length).unwrap_or(0));
    let pieces = (threads as u64).saturating_mul(RANGES_A_THREAD).max(1);
    (lengths.fold(0, u64::saturating_add) / pieces).clamp(LEAST_BYTES, MOST_BYTES) as usize
}
