//! Which entries does one manifest have, as columns?
//!
//! In: its bytes and its row of the manifest list. Out: all its entries, or those of a block range.
//! Spec: Manifests.
//!
//! Invariant: a manifest is read once, and its decompressed size is bounded, however it is split.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::{Array as _, BinaryArray, Int64Array, StringArray};
use bytes::Bytes;
use floeberg_avro::{BlockRange, Limits, ParsedSchemas};
use floeberg_core::schema::StructType;
use floeberg_core::{Context, Error, Result};
use floeberg_io::{FoundKeys, KeyRing, Relocation, SayKey};

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
    /// The keys of the table, which those of its files are added to, by their locations.
    keys: Option<(Arc<KeyRing>, Arc<Relocation>)>,
}

impl ManifestBytes {
    /// Bytes that were read from a location, of a row of a manifest list.
    pub fn new(manifest: ManifestFile, location: String, bytes: Bytes, schemas: Arc<ParsedSchemas>) -> Self {
        Self { manifest, location, bytes, schemas, inflated: AtomicU64::new(0), keys: None }
    }

    /// The same for an encrypted table: the keys of its files are taken in as entries are decoded.
    pub fn with_keys(self, keys: Option<(Arc<KeyRing>, Arc<Relocation>)>) -> Self {
        Self { keys, ..self }
    }

    /// Decodes the entries.
    pub fn entries(&self, partition_type: &StructType, wanted: &EntryRequest) -> Result<ManifestEntries> {
        let parsed = parse_manifest_with(&self.schemas, &self.bytes, &self.manifest, partition_type, wanted)
            .context("path", &self.location)?;
        Ok(self.take_keys(parsed))
    }

    /// Takes in the keys of files.
    fn take_keys(&self, mut entries: ManifestEntries) -> ManifestEntries {
        let Some((keys, relocation)) = &self.keys else { return entries };
        if entries.key_metadata.null_count() < entries.len() {
            keys.add_found(Box::new(EntryKeys {
                paths: entries.file_path.clone(),
                metadata: entries.key_metadata.clone(),
                sizes: entries.file_size_in_bytes.clone(),
                relocation: Arc::clone(relocation),
            }));
        }
        entries.keys_are_known = true;
        entries
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
        Ok(BlockEntries { entries: self.take_keys(parsed.entries), ..parsed })
    }
}

/// The keys of the files of some entries. They are not printed.
struct EntryKeys {
    paths: StringArray,
    metadata: BinaryArray,
    sizes: Int64Array,
    relocation: Arc<Relocation>,
}

impl fmt::Debug for EntryKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntryKeys").field("files", &self.paths.len()).finish_non_exhaustive()
    }
}

impl FoundKeys for EntryKeys {
    fn each(&self, say: &mut SayKey<'_>) {
        for row in (0..self.paths.len()).filter(|row| self.metadata.is_valid(*row)) {
            let location = self.relocation.apply(self.paths.value(row));
            say(&location, self.metadata.value(row), u64::try_from(self.sizes.value(row)).ok());
        }
    }
}
