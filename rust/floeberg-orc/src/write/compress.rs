//! How is a block of a stream stored?
//!
//! In: the bytes of a block. Out: three bytes of header, and the bytes that stand in the file.
//! Spec: ORC v1, Compression.
//!
//! Invariant: a block that compression does not make shorter is stored as it is; the buffer is reused from block to block.

use floeberg_core::{Error, Result};
use libdeflater::{CompressionLvl, Compressor as Deflater};

use crate::wire::Compression;

/// A codec and how much work it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Codec {
    /// Which codec.
    pub compression: Compression,
    /// Small rather than fast.
    pub is_thorough: bool,
}

/// Compresses blocks, one at a time.
pub(super) struct Compressor {
    kind: Kind,
    buffer: Vec<u8>,
}

enum Kind {
    Plain,
    Zlib(Deflater),
    Snappy(Box<snap::raw::Encoder>),
    Lz4,
    Zstd(zstd::bulk::Compressor<'static>),
}

impl Compressor {
    pub(super) fn new(codec: Codec) -> Result<Self> {
        let kind = match codec.compression {
            Compression::None => Kind::Plain,
            Compression::Zlib => {
                let level = CompressionLvl::new(if codec.is_thorough { 6 } else { 2 });
                Kind::Zlib(Deflater::new(level.map_err(|_| Error::internal("a level of zlib"))?))
            }
            Compression::Snappy => Kind::Snappy(Box::new(snap::raw::Encoder::new())),
            Compression::Lz4 => Kind::Lz4,
            Compression::Zstd => {
                let level = if codec.is_thorough { 3 } else { 1 };
                Kind::Zstd(zstd::bulk::Compressor::new(level).map_err(failed)?)
            }
        };
        Ok(Self { kind, buffer: Vec::new() })
    }

    /// Are streams cut into blocks at all?
    pub(super) fn is_plain(&self) -> bool {
        matches!(self.kind, Kind::Plain)
    }

    /// Appends a block with its header.
    pub(super) fn append(&mut self, block: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let buffer = &mut self.buffer;
        let length = match &mut self.kind {
            Kind::Plain => {
                out.extend_from_slice(block);
                return Ok(());
            }
            Kind::Zlib(deflater) => {
                let most = deflater.deflate_compress_bound(block.len());
                deflater.deflate_compress(block, room(buffer, most)).map_err(failed)?
            }
            Kind::Snappy(encoder) => {
                let most = snap::raw::max_compress_len(block.len());
                encoder.compress(block, room(buffer, most)).map_err(failed)?
            }
            Kind::Lz4 => {
                let most = lz4_flex::block::get_maximum_output_size(block.len());
                lz4_flex::block::compress_into(block, room(buffer, most)).map_err(failed)?
            }
            Kind::Zstd(compressor) => {
                let most = zstd::zstd_safe::compress_bound(block.len());
                compressor.compress_to_buffer(block, room(buffer, most)).map_err(failed)?
            }
        };
        let (stored, is_original) =
            if length < block.len() { (&self.buffer[..length], 0) } else { (block, 1) };
        let header = (stored.len() as u32) << 1 | is_original;
        out.extend_from_slice(&header.to_le_bytes()[..3]);
        out.extend_from_slice(stored);
        Ok(())
    }

    /// All bytes, in blocks.
    pub(super) fn blocks(&mut self, bytes: &[u8], block_size: usize) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        for block in bytes.chunks(block_size.max(1)) {
            self.append(block, &mut out)?;
        }
        Ok(out)
    }
}

/// At least that many bytes to write into.
fn room(buffer: &mut Vec<u8>, length: usize) -> &mut [u8] {
    if buffer.len() < length {
        buffer.resize(length, 0);
    }
    &mut buffer[..]
}

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::internal("a block of an ORC file could not be compressed").caused_by(error)
}
