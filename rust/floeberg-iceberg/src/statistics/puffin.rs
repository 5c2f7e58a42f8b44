//! Which blobs does a statistics file hold, and what is in them?
//!
//! In: a file that the metadata lists. Out: its footer, checked against the metadata, and the content of a blob.
//! Spec: Table Statistics; Puffin.
//!
//! Invariant: only the footer and the requested blob are read.

use std::ops::Range;
use std::sync::Arc;

use floeberg_core::{Context, Error, Result};
use floeberg_io::Source;

use crate::Table;
use crate::metadata::{StatisticsBlob, StatisticsFile};
use crate::wire::puffin::{
    BlobMetadata, LARGEST_FOOTER, PuffinFooter, blob_content, check_magic, footer_length, parse_footer,
};

/// Most footers are smaller than this, and one read gets them.
const TAIL_GUESS: u64 = 16 << 10;
/// The magic that a file starts with.
pub(crate) const MAGIC_LENGTH: u64 = 4;

impl Table {
    /// The footer of a statistics file that the metadata names.
    ///
    /// Errors: `InvalidInput` for a file that the metadata does not list; `Unsupported` for an encrypted one; `InvalidData` for a damaged
    /// one, and where it lacks a blob that the metadata says it has; those of the store.
    pub fn statistics_footer(&self, statistics_path: &str) -> Result<PuffinFooter> {
        let (file, source) = self.statistics_source(statistics_path)?;
        let (footer, _) = read_footer(source.as_ref()).context("path", source.location())?;
        for listed in &file.blob_metadata {
            if !footer.blobs.iter().any(|blob| is_same(listed, blob)) {
                return Err(Error::invalid_data(format!(
                    "the statistics file has no blob {} of the columns {:?} and snapshot {}, which the \
                     table metadata lists",
                    listed.blob_type, listed.fields, listed.snapshot_id
                ))
                .with("path", source.location()));
            }
        }
        Ok(footer)
    }

    /// The content of a blob of a statistics file, decompressed, by its number in the footer.
    ///
    /// Errors: those of [`Table::statistics_footer`]; `InvalidInput` for a missing blob; `InvalidData` for one that
    /// lies outside of the file or does not decompress; `Unsupported` for an unknown codec.
    pub fn statistics_blob(&self, statistics_path: &str, number: usize) -> Result<Vec<u8>> {
        let (_, source) = self.statistics_source(statistics_path)?;
        read_blob(source.as_ref(), number).context("path", source.location())
    }

    fn statistics_source(&self, path: &str) -> Result<(StatisticsFile, Arc<dyn Source>)> {
        let files = self.metadata().statistics_files().context("table", self.metadata_location())?;
        let file = files.into_iter().find(|file| file.statistics_path == path);
        let file = file.ok_or_else(|| {
            Error::invalid_input("the table metadata does not list this statistics file").with("path", path)
        })?;
        if file.key_metadata.is_some() {
            return Err(Error::unsupported(
                "the statistics file is encrypted, and encrypted tables cannot be read",
            )
            .with("path", path));
        }
        let source = self.store().open(&self.relocation().apply(path))?;
        Ok((file, source))
    }
}

/// The footer of a Puffin file, and where it starts.
///
/// Errors: `InvalidData` for a damaged footer; `LimitExceeded` for one that is too large; those of the store.
pub fn read_footer(source: &dyn Source) -> Result<(PuffinFooter, u64)> {
    let size = source.size()?;
    let tail = source.read(size.saturating_sub(TAIL_GUESS)..size)?;
    let length = footer_length(&tail)?;
    let start = size.checked_sub(length).filter(|start| *start >= MAGIC_LENGTH).ok_or_else(|| {
        Error::invalid_data(format!("a Puffin file of {size} bytes claims a footer of {length} bytes"))
    })?;
    if length > LARGEST_FOOTER {
        return Err(Error::limit(format!(
            "a Puffin footer has {length} bytes, more than the limit of {LARGEST_FOOTER}"
        )));
    }
    if length <= tail.len() as u64 {
        return Ok((parse_footer(&tail)?, start));
    }
    Ok((parse_footer(&source.read(start..size)?)?, start))
}

fn read_blob(source: &dyn Source, number: usize) -> Result<Vec<u8>> {
    let (footer, end) = read_footer(source)?;
    let Some(blob) = footer.blobs.get(number) else {
        return Err(Error::invalid_input(format!(
            "blob {number} is out of range: the Puffin file has {} blobs",
            footer.blobs.len()
        )));
    };
    let inside = |range: &Range<u64>| range.start >= MAGIC_LENGTH && range.end <= end;
    let range = blob.offset.checked_add(blob.length).map(|end| blob.offset..end).filter(inside);
    let Some(range) = range else {
        return Err(Error::invalid_data(format!(
            "expected a Puffin blob between the bytes {MAGIC_LENGTH} and {end}, found offset {} and length {}",
            blob.offset, blob.length
        )));
    };
    check_magic(&source.read(0..MAGIC_LENGTH)?, "at the start of a Puffin file")?;
    Ok(blob_content(&source.read(range)?, blob)?.into_owned())
}

/// Is this the blob that the metadata names? It has all the properties that are named there, and may have more.
fn is_same(listed: &StatisticsBlob, blob: &BlobMetadata) -> bool {
    listed.blob_type == blob.blob_type
        && listed.fields == blob.fields
        && listed.snapshot_id == blob.snapshot_id
        && listed.sequence_number == blob.sequence_number
        && listed.properties.iter().all(|(key, value)| blob.properties.get(key) == Some(value))
}
