//! How is the data of a block decompressed?
//!
//! Spec: Avro 1.12, Required Codecs, Optional Codecs.
//!
//! Invariant: the output never grows beyond the limit; the buffer is reused from block to block.

use floeberg_core::{Error, Result};
use floeberg_io::read_bounded;
use libdeflater::{DecompressionError, Decompressor};

/// How the blocks of a file are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    Null,
    Deflate,
    Snappy,
    Zstandard,
}

impl Codec {
    pub(super) fn parse(name: &[u8]) -> Result<Self> {
        match name {
            b"null" | b"" => Ok(Self::Null),
            b"deflate" => Ok(Self::Deflate),
            b"snappy" => Ok(Self::Snappy),
            b"zstandard" => Ok(Self::Zstandard),
            other => {
                let name: String = String::from_utf8_lossy(other).chars().take(40).collect();
                Err(Error::unsupported(format!(
                    "Avro codec {name}: expected null, deflate, snappy or zstandard"
                )))
            }
        }
    }
}

/// Decompresses blocks, one at a time.
pub(super) struct Inflater {
    codec: Codec,
    deflate: Option<Decompressor>,
    buffer: Vec<u8>,
    /// The length of the block in the buffer.
    length: usize,
}

impl Inflater {
    pub(super) fn new(codec: Codec) -> Self {
        let deflate = (codec == Codec::Deflate).then(Decompressor::new);
        Self { codec, deflate, buffer: Vec::new(), length: 0 }
    }

    /// The data of a block before it was compressed.
    pub(super) fn inflate<'a>(&'a mut self, stored: &'a [u8], limit: usize) -> Result<&'a [u8]> {
        self.load(stored, limit)?;
        Ok(self.data(stored))
    }

    /// Decompresses a block.
    pub(super) fn load(&mut self, stored: &[u8], limit: usize) -> Result<()> {
        let buffer = &mut self.buffer;
        self.length = match (self.codec, &mut self.deflate) {
            (Codec::Null, _) => 0,
            (Codec::Deflate, Some(deflate)) => inflate_deflate(deflate, buffer, stored, limit)?,
            (Codec::Deflate, None) => {
                return Err(Error::internal("a deflate block without its decompressor"));
            }
            (Codec::Snappy, _) => inflate_snappy(buffer, stored, limit)?,
            (Codec::Zstandard, _) => inflate_zstandard(buffer, stored, limit)?,
        };
        Ok(())
    }

    /// The data of the last loaded block, decompressed. `stored` is the stored data of that block.
    pub(super) fn data<'a>(&'a self, stored: &'a [u8]) -> &'a [u8] {
        match self.codec {
            Codec::Null => stored,
            _ => &self.buffer[..self.length],
        }
    }
}

fn inflate_deflate(
    deflate: &mut Decompressor,
    buffer: &mut Vec<u8>,
    stored: &[u8],
    limit: usize,
) -> Result<usize> {
    // The length is not stored. Manifests shrink two to six times; a guess that is too small costs one more pass.
    let mut guess = stored.len().saturating_mul(6).max(1 << 16).min(limit);
    loop {
        reserve(buffer, guess);
        match deflate.deflate_decompress(stored, buffer) {
            Ok(length) => return Ok(length),
            Err(DecompressionError::InsufficientSpace) if buffer.len() < limit => {
                guess = buffer.len().saturating_mul(4).min(limit);
            }
            Err(DecompressionError::InsufficientSpace) => return Err(too_large(limit)),
            Err(error) => {
                return Err(Error::invalid_data("Avro block: expected a deflate stream").caused_by(error));
            }
        }
    }
}

fn inflate_snappy(buffer: &mut Vec<u8>, stored: &[u8], limit: usize) -> Result<usize> {
    let Some((stored, checksum)) = stored.split_last_chunk::<4>() else {
        return Err(Error::invalid_data("Avro block: expected snappy data and a CRC-32 of 4 bytes"));
    };
    let damaged = |error| Error::invalid_data("Avro block: expected snappy data").caused_by(error);
    let length = snap::raw::decompress_len(stored).map_err(damaged)?;
    if length > limit {
        return Err(too_large(limit));
    }
    reserve(buffer, length);
    let length = snap::raw::Decoder::new().decompress(stored, buffer).map_err(damaged)?;
    let inflated = &buffer[..length];
    let (expected, found) = (u32::from_be_bytes(*checksum), crc32fast::hash(inflated));
    // A fuzzer does not guess a checksum.
    if expected != found && !cfg!(fuzzing) {
        return Err(Error::invalid_data(format!(
            "Avro block: expected CRC-32 {expected:08x}, found {found:08x}"
        )));
    }
    Ok(length)
}

fn inflate_zstandard(buffer: &mut Vec<u8>, stored: &[u8], limit: usize) -> Result<usize> {
    let stream = zstd::stream::read::Decoder::with_buffer(stored)
        .map_err(|error| Error::invalid_data("Avro block: expected a zstandard stream").caused_by(error))?;
    read_bounded(stream, limit, "an Avro block of zstandard", buffer)?;
    Ok(buffer.len())
}

/// At least that many bytes to write into. Fresh zeroed memory costs nothing until it is touched.
fn reserve(buffer: &mut Vec<u8>, length: usize) {
    if buffer.len() < length {
        *buffer = vec![0; length];
    }
}

fn too_large(limit: usize) -> Error {
    Error::limit(format!("an Avro block decompresses to more than {limit} bytes"))
}
