//! What does the manifest of a version say?
//!
//! In: a file. Out: its manifest, checked, and the sections beside it.
//! Spec: Lance, `io/manifest.rs`.
//!
//! Invariant: a small manifest takes one read. A transaction or indices that are damaged do not hinder reading of rows.

use std::sync::Arc;

use bytes::Bytes;
use floeberg_core::{Context as _, Error, Result};
use floeberg_io::{Source, Store};

use super::identity::ManifestEnd;
use super::listing::ListedVersion;
use super::validate;
use crate::wire::{END, Manifest, ManifestHead, manifest_range, message_of, section_in};

/// What is read at first, from the end: more than most manifests have.
const FIRST_READ: u64 = 64 << 10;

/// A manifest, and what of its file was read on the way.
#[derive(Debug, Clone)]
pub struct ManifestFile {
    /// What it says.
    pub manifest: Arc<Manifest>,
    /// Where it is.
    pub path: String,
    /// Its bytes before the manifest, from `start` on.
    before: Bytes,
    start: u64,
    /// By which it is known again; `None` for one that was never a file here.
    end: Option<ManifestEnd>,
}

impl ManifestFile {
    /// Reads and checks the manifest of a version.
    ///
    /// Errors: `InvalidData` or `Unsupported`, naming the file; `NotFound` where it is gone; those of the store.
    pub fn open(store: &dyn Store, folder: &str, listed: ListedVersion) -> Result<Self> {
        let file = Self::open_unchecked(store, folder, listed)?;
        validate::check(&file.manifest, listed.version).context("path", &file.path)?;
        Ok(file)
    }

    /// Reads the manifest of a version, which may break rules. Errors: those of [`Self::open`].
    pub(crate) fn open_unchecked(store: &dyn Store, folder: &str, listed: ListedVersion) -> Result<Self> {
        let path = listed.path(folder);
        let source = store.open(&path)?;
        Self::read(source.as_ref(), &path).context("path", &path)
    }

    fn read(source: &dyn Source, path: &str) -> Result<Self> {
        let (bytes, start, range) = manifest_bytes(source)?;
        let at = usize::try_from(range.start - start).unwrap_or(usize::MAX);
        let manifest =
            Manifest::parse(&message_of(&bytes.slice(at..bytes.len() - END as usize), "a manifest")?)?;
        let end = Some(ManifestEnd::of(&manifest.head, &bytes, start));
        Ok(Self {
            manifest: Arc::new(manifest),
            path: path.to_owned(),
            before: bytes.slice(..at),
            start,
            end,
        })
    }

    /// A manifest that was checked when it was built, and its file.
    ///
    /// Errors: `InvalidData` for a file that is not that of a manifest.
    pub fn of_written(manifest: Arc<Manifest>, file: &Bytes, path: String) -> Result<Self> {
        let range = manifest_range(file, file.len() as u64)?;
        let at = usize::try_from(range.start).unwrap_or(usize::MAX);
        let end = Some(ManifestEnd::of(&manifest.head, file, 0));
        // A copy, which does not keep the whole file.
        Ok(Self {
            manifest,
            path,
            before: Bytes::copy_from_slice(&file[..at.min(file.len())]),
            start: 0,
            end,
        })
    }

    /// A manifest that is in memory, which must be of the version that it says. Errors: `InvalidData`, naming the file.
    pub fn in_memory(manifest: Manifest, path: &str) -> Result<Self> {
        validate::check(&manifest, manifest.head.version).context("path", path)?;
        let (before, end) = (Bytes::new(), None);
        Ok(Self { manifest: Arc::new(manifest), path: path.to_owned(), before, start: 0, end })
    }

    /// Is the manifest that was read the one at a place? Errors: `NotFound` without a file there; those of the store.
    pub fn is_at(&self, store: &dyn Store, path: &str) -> Result<bool> {
        self.end.as_ref().map_or(Ok(true), |end| end.is_at(store, path))
    }

    /// The message of the indices; `None` where there are none. Errors: `InvalidData`, naming the file.
    pub fn indices(&self, store: &dyn Store) -> Result<Option<Bytes>> {
        self.section(store, self.manifest.head.index_section, "the indices")
    }

    /// The message of the transaction in the file; `None` where there is none. Errors: `InvalidData`, naming the file.
    pub fn transaction(&self, store: &dyn Store) -> Result<Option<Bytes>> {
        self.section(store, self.manifest.head.transaction_at(), "the transaction")
    }

    fn section(&self, store: &dyn Store, offset: Option<u64>, what: &str) -> Result<Option<Bytes>> {
        let Some(offset) = offset else { return Ok(None) };
        let known = section_in(&self.before, self.start, offset, what).context("path", &self.path)?;
        let section = if let Some(section) = known {
            section
        } else {
            let end = self.start + self.before.len() as u64;
            if !self.is_at(store, &self.path)? {
                let message = "the manifest was replaced by another one: the table was removed and made anew. Open it again";
                return Err(Error::not_found(message).with("path", &self.path));
            }
            let bytes = store.open(&self.path)?.read(offset..end)?;
            let section = section_in(&bytes, offset, offset, what).context("path", &self.path)?;
            section.ok_or_else(|| Error::internal("a section before its own start"))?
        };
        message_of(&section, what).context("path", &self.path).map(Some)
    }
}

/// What a manifest says beside its fragments. Errors: those of [`ManifestFile::open`].
pub fn read_head(store: &dyn Store, folder: &str, listed: ListedVersion) -> Result<ManifestHead> {
    let path = listed.path(folder);
    let source = store.open(&path)?;
    let head = || {
        let (bytes, start, range) = manifest_bytes(source.as_ref())?;
        let at = usize::try_from(range.start - start).unwrap_or(usize::MAX);
        ManifestHead::parse(&message_of(&bytes.slice(at..bytes.len() - END as usize), "a manifest")?)
    };
    let head = head().context("path", &path)?;
    validate::check_version(&head, listed.version).context("path", &path)?;
    Ok(head)
}

/// The bytes of a file from before its manifest on, where they start, and where the manifest lies.
fn manifest_bytes(source: &dyn Source) -> Result<(Bytes, u64, std::ops::Range<u64>)> {
    let (size, tail) = source.read_end(FIRST_READ)?;
    let start = size - tail.len() as u64;
    let range = manifest_range(&tail, size)?;
    if range.start >= start {
        return Ok((tail, start, range));
    }
    // The end once more, which costs less than to put two pieces together.
    Ok((source.read(range.start..size)?, range.start, range))
}
