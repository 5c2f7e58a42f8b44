//! How is an encrypted stream read?
//!
//! In: ranges of plain bytes. Out: these bytes, of whole blocks that were found to be authentic.
//! Spec: AES GCM Stream.
//!
//! Invariant: no byte of a block is passed on before the block is authentic, in its place, in its file.

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bytes::Bytes;
use floeberg_core::{Context, Error, Result};

use super::blocks::{BLOCK, Blocks, HEADER, aad, header};
use crate::keys::{Cipher, FileKey};
use crate::location::shown;
use crate::ranges::{checked_length, too_large};
use crate::store::Source;

/// A file that is decrypted as it is read.
#[derive(Debug)]
pub(super) struct DecryptedSource {
    inner: Arc<dyn Source>,
    key: FileKey,
    opened: OnceLock<Opened>,
    /// The block that was read last: small ranges often lie in one.
    last: Mutex<Option<(u64, Bytes)>>,
}

#[derive(Debug)]
struct Opened {
    cipher: Cipher,
    blocks: Blocks,
}

impl DecryptedSource {
    pub fn new(inner: Arc<dyn Source>, key: FileKey) -> Self {
        Self { inner, key, opened: OnceLock::new(), last: Mutex::default() }
    }

    /// The cipher, and the blocks by the length that the key metadata or a manifest names.
    fn opened(&self) -> Result<&Opened> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let opened = self.key.length().ok_or_else(|| {
            Error::invalid_data("the key metadata of an encrypted file does not have its length")
        });
        let opened = opened.and_then(|length| {
            Ok(Opened { cipher: Cipher::new(self.key.key())?, blocks: Blocks::of(length)? })
        });
        let opened = opened.map_err(|error| self.named(error))?;
        Ok(self.opened.get_or_init(|| opened))
    }

    /// The plain bytes of blocks, decrypted.
    fn decrypted(&self, opened: &Opened, blocks: &Range<u64>, stored: &[u8]) -> Result<Bytes> {
        let mut plain = Vec::with_capacity(stored.len());
        let mut authenticated = Vec::new();
        for (number, block) in Blocks::each(blocks, stored) {
            aad(self.key.aad_prefix(), number, &mut authenticated);
            opened
                .cipher
                .open_into(block, &authenticated, &mut plain)
                .map_err(|error| self.named(error).with("block", number))?;
        }
        Ok(plain.into())
    }

    fn named(&self, error: Error) -> Error {
        error.with("path", shown(self.inner.location()))
    }

    /// A stream begins with its header.
    fn check_header(&self, found: &[u8]) -> Result<()> {
        if found == header() {
            return Ok(());
        }
        let message =
            "expected an encrypted file (AES GCM stream with blocks of 1 MiB), found another header";
        Err(self.named(Error::invalid_data(message)))
    }
}

impl Source for DecryptedSource {
    fn location(&self) -> &str {
        self.inner.location()
    }

    fn size(&self) -> Result<u64> {
        Ok(self.opened()?.blocks.plain_size)
    }

    fn read(&self, range: Range<u64>) -> Result<Bytes> {
        let mut read = self.read_ranges(std::slice::from_ref(&range))?;
        read.pop().ok_or_else(|| Error::internal("a range was read"))
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let opened = self.opened()?;
        let location = self.location();
        for range in ranges {
            checked_length(range, opened.blocks.plain_size, location)?;
        }
        // Whole blocks that touch become one range, which is decrypted once.
        let mut wanted: Vec<Range<u64>> = ranges
            .iter()
            .filter(|range| !range.is_empty())
            .map(|range| opened.blocks.holding(range))
            .collect();
        wanted.sort_unstable_by_key(|blocks| blocks.start);
        let mut merged: Vec<Range<u64>> = Vec::new();
        for blocks in wanted {
            match merged.last_mut() {
                Some(last) if blocks.start <= last.end => last.end = last.end.max(blocks.end),
                _ => merged.push(blocks),
            }
        }
        let kept = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let plain: Vec<(Range<u64>, Bytes)> = match (merged.as_slice(), kept) {
            ([only], Some((number, bytes))) if *only == (number..number + 1) => vec![(only.clone(), bytes)],
            _ => {
                let stored: Vec<_> = merged.iter().map(|blocks| opened.blocks.stored(blocks)).collect();
                let stored = self.inner.read_ranges(&stored)?;
                let decrypted = merged.into_iter().zip(&stored).map(|(blocks, stored)| {
                    let plain = self.decrypted(opened, &blocks, stored)?;
                    Ok((blocks, plain))
                });
                decrypted.collect::<Result<_>>()?
            }
        };
        if let Some((blocks, bytes)) = plain.last() {
            let number = blocks.end - 1;
            let last = bytes.slice(((number - blocks.start) * BLOCK) as usize..);
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some((number, last));
        }
        let cut = ranges.iter().map(|range| {
            if range.is_empty() {
                return Ok(Bytes::new());
            }
            let holds = |(blocks, _): &&(Range<u64>, Bytes)| {
                blocks.start * BLOCK <= range.start && range.end <= blocks.end * BLOCK
            };
            let (blocks, bytes) =
                plain.iter().find(holds).ok_or_else(|| Error::internal("a block was not read"))?;
            let start = (range.start - blocks.start * BLOCK) as usize;
            let end = start + (range.end - range.start) as usize;
            if end > bytes.len() {
                return Err(self.named(Error::invalid_data("an encrypted block is shorter than expected")));
            }
            Ok(bytes.slice(start..end))
        });
        cut.collect()
    }

    fn read_all(&self, limit: u64) -> Result<Bytes> {
        let opened = self.opened()?;
        let size = opened.blocks.plain_size;
        if size > limit {
            return Err(too_large(size, limit, self.location()));
        }
        let all = opened.blocks.all();
        let stored = self.inner.read(0..opened.blocks.stored(&all).end)?;
        let (head, body) = stored.split_at_checked(HEADER as usize).unwrap_or((&stored, &[]));
        self.check_header(head)?;
        self.decrypted(opened, &all, body).context("path", shown(self.location()))
    }

    fn native(&self) -> Option<(Arc<dyn Source>, FileKey)> {
        Some((Arc::clone(&self.inner), self.key.clone()))
    }
}
