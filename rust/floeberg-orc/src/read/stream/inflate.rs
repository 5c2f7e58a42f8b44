//! How is a block decompressed?
//!
//! Spec: ORC v1, Compression.
//!
//! Invariant: the output never grows beyond the block size of the file; the buffer is reused.

use std::io::Read;

use floeberg_core::{Error, Result};
use libdeflater::{DecompressionError, Decompressor};
use lz4_flex::block::DecompressError;

use crate::wire::Compression;

/// The first guess, in times of the compressed length; one that is too small costs one more pass.
const GUESS: usize = 4;

/// Decompresses blocks, one at a time.
pub(crate) struct Inflater {
    compression: Compression,
    block_size: usize,
    deflate: Option<Decompressor>,
    buffer: Vec<u8>,
}

impl Inflater {
    pub(crate) fn new(compression: Compression, block_size: usize) -> Self {
        Self { compression, block_size, deflate: None, buffer: Vec::new() }
    }

    /// Decompresses a block; returns how long it was. It stands in [`Self::buffer`].
    pub(crate) fn inflate(&mut self, stored: &[u8]) -> Result<usize> {
        match self.compression {
            Compression::None => Err(Error::internal("a compressed block of a file without compression")),
            Compression::Zlib => self.grow(stored, |this, stored| {
                let deflate = this.deflate.get_or_insert_with(Decompressor::new);
                match deflate.deflate_decompress(stored, &mut this.buffer) {
                    Ok(length) => Ok(Some(length)),
                    Err(DecompressionError::InsufficientSpace) => Ok(None),
                    Err(error) => Err(damaged("zlib").caused_by(error)),
                }
            }),
            Compression::Lz4 => self.grow(stored, |this, stored| {
                match lz4_flex::block::decompress_into(stored, &mut this.buffer) {
                    Ok(length) => Ok(Some(length)),
                    Err(DecompressError::OutputTooSmall { .. }) => Ok(None),
                    Err(error) => Err(damaged("lz4").caused_by(error)),
                }
            }),
            Compression::Snappy => {
                let length = snap::raw::decompress_len(stored);
                let length = length.map_err(|error| damaged("snappy").caused_by(error))?;
                if length > self.block_size {
                    return Err(self.too_long());
                }
                self.reserve(length);
                let mut decoder = snap::raw::Decoder::new();
                let inflated = decoder.decompress(stored, &mut self.buffer);
                inflated.map_err(|error| damaged("snappy").caused_by(error))
            }
            Compression::Zstd => self.zstd(stored),
        }
    }

    /// What the last block was.
    pub(crate) fn buffer(&self) -> &[u8] {
        &self.buffer
    }

    fn zstd(&mut self, stored: &[u8]) -> Result<usize> {
        let failed = |error| damaged("zstd").caused_by(error);
        let decoder = zstd::stream::read::Decoder::with_buffer(stored).map_err(failed)?;
        self.buffer.clear();
        let limit = self.block_size as u64 + 1;
        let length = decoder.take(limit).read_to_end(&mut self.buffer).map_err(failed)?;
        if length > self.block_size { Err(self.too_long()) } else { Ok(length) }
    }

    /// Decompresses into more and more space, where the length is not stored.
    fn grow(
        &mut self,
        stored: &[u8],
        inflate: impl Fn(&mut Self, &[u8]) -> Result<Option<usize>>,
    ) -> Result<usize> {
        let mut guess = stored.len().saturating_mul(GUESS).min(self.block_size);
        loop {
            self.reserve(guess);
            if let Some(length) = inflate(self, stored)? {
                return if length > self.block_size { Err(self.too_long()) } else { Ok(length) };
            }
            if self.buffer.len() >= self.block_size {
                return Err(self.too_long());
            }
            guess = self.buffer.len().max(1 << 10).saturating_mul(2).min(self.block_size);
        }
    }

    /// At least that many bytes to write into. Fresh zeroed memory costs nothing until it is touched.
    fn reserve(&mut self, length: usize) {
        if self.buffer.len() < length {
            self.buffer = vec![0; length];
        }
    }

    fn too_long(&self) -> Error {
        let size = self.block_size;
        Error::invalid_data(format!(
            "a block of the ORC file is longer than the {size} bytes that the file allows"
        ))
    }
}

fn damaged(codec: &str) -> Error {
    Error::invalid_data(format!("expected a block of {codec} in the ORC file"))
}
