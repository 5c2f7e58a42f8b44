//! Which pieces of a manifest are worked on by one thread each?
//!
//! In: a row of the manifest list, and what was decoded of it before. Out: its stretches, decoded or to be.
//!
//! Invariant: a manifest is read only where what was decoded before does not do.

use std::sync::Arc;

use floeberg_core::Result;

use super::bytes::ManifestBytes;
use super::reader::ManifestReader;
use crate::manifest::{ManifestFile, StretchEntries};
use crate::wire::avro::Stretch;

/// Bytes of a manifest, as they are stored, that one thread decodes, at most: some thousands of entries.
const MOST_BYTES: u64 = 2 << 20;
/// At least: opening a stretch costs about as much as some hundred entries.
const LEAST_BYTES: u64 = 256 << 10;
/// So many stretches a thread are enough that none waits long for the others.
const STRETCHES_A_THREAD: u64 = 4;

/// A piece of a manifest.
#[derive(Debug)]
pub(crate) struct ManifestStretch {
    /// The row of the manifest list.
    pub manifest: Arc<ManifestFile>,
    /// Which of how many pieces of the manifest it is.
    pub place: (usize, usize),
    source: Source,
}

#[derive(Debug)]
enum Source {
    Decoded(Arc<StretchEntries>),
    Stored(Arc<ManifestBytes>, Stretch),
}

impl ManifestStretch {
    /// The pieces of a manifest that was decoded before.
    pub fn decoded(manifest: ManifestFile, stretches: Vec<Arc<StretchEntries>>) -> Vec<Self> {
        let (manifest, count) = (Arc::new(manifest), stretches.len());
        let each = |(number, entries)| Self {
            manifest: Arc::clone(&manifest),
            place: (number, count),
            source: Source::Decoded(entries),
        };
        stretches.into_iter().enumerate().map(each).collect()
    }

    /// Reads a manifest and cuts it into pieces of at most about so many bytes.
    pub fn read(reader: &ManifestReader, manifest: ManifestFile, most_bytes: usize) -> Result<Vec<Self>> {
        let bytes = Arc::new(reader.open(&manifest)?);
        let stretches = bytes.stretches(most_bytes)?;
        let (manifest, count) = (Arc::new(manifest), stretches.len());
        let each = |(number, stretch)| Self {
            manifest: Arc::clone(&manifest),
            place: (number, count),
            source: Source::Stored(Arc::clone(&bytes), stretch),
        };
        Ok(stretches.into_iter().enumerate().map(each).collect())
    }

    /// Its entries: those that are there, or what decoding gives.
    pub fn entries(
        &self,
        decode: impl FnOnce(&ManifestBytes, &Stretch) -> Result<Arc<StretchEntries>>,
    ) -> Result<Arc<StretchEntries>> {
        match &self.source {
            Source::Decoded(entries) => Ok(Arc::clone(entries)),
            Source::Stored(bytes, stretch) => decode(bytes, stretch),
        }
    }
}

/// How large the pieces of some manifests are, so that so many threads share the work evenly.
pub(crate) fn stretch_bytes(manifests: &[ManifestFile], threads: usize) -> usize {
    let lengths = manifests.iter().map(|manifest| u64::try_from(manifest.manifest_length).unwrap_or(0));
    let pieces = (threads as u64).saturating_mul(STRETCHES_A_THREAD).max(1);
    (lengths.fold(0, u64::saturating_add) / pieces).clamp(LEAST_BYTES, MOST_BYTES) as usize
}
