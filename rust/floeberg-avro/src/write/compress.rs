//! How is the data of a block stored?
//!
//! In: the bytes of a block's records. Out: the bytes that stand in the file.
//! Spec: Avro 1.12, Required Codecs, Optional Codecs.
//!
//! Invariant: the decoder's codec of the same name reads the result back; the buffer is reused from block to block.

use floeberg_core::{Error, Result};
use libdeflater::{CompressionLvl, Compressor as Deflater};

/// A codec and its level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not compressed.
    Null,
    /// Deflate, level 1 (fast) to 12 (small).
    Deflate(i32),
    /// Snappy, with a checksum.
    Snappy,
    /// Zstandard, level 1 (fast) to 22 (small).
    Zstandard(i32),
}

impl Compression {
    /// Its name in a header.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Deflate(_) => "deflate",
            Self::Snappy => "snappy",
            Self::Zstandard(_) => "zstandard",
        }
    }
}

/// The codec of manifests in Iceberg Java: `gzip`, which is deflate in Avro, at level 9.
impl Default for Compression {
    fn default() -> Self {
        Self::Deflate(9)
    }
}

/// Compresses blocks, one at a time.
pub(super) struct Compressor {
    codec: Codec,
    buffer: Vec<u8>,
}

enum Codec {
    Null,
    Deflate(Deflater),
    Snappy,
    Zstandard(zstd::bulk::Compressor<'static>),
}

impl Compressor {
    /// Errors: `InvalidInput` for a level that the codec does not have.
    pub(super) fn new(compression: Compression) -> Result<Self> {
        let codec = match compression {
            Compression::Null => Codec::Null,
            Compression::Deflate(level) => {
                let level = CompressionLvl::new(level).ok().filter(|_| level > 0);
                Codec::Deflate(Deflater::new(level.ok_or_else(|| wrong_level(compression, 12))?))
            }
            Compression::Snappy => Codec::Snappy,
            Compression::Zstandard(level @ 1..=22) => {
                Codec::Zstandard(zstd::bulk::Compressor::new(level).map_err(failed)?)
            }
            Compression::Zstandard(_) => return Err(wrong_level(compression, 22)),
        };
        Ok(Self { codec, buffer: Vec::new() })
    }

    /// The bytes that stand for a block's data in the file.
    pub(super) fn compress<'a>(&'a mut self, data: &'a [u8]) -> Result<&'a [u8]> {
        let buffer = &mut self.buffer;
        let length = match &mut self.codec {
            Codec::Null => return Ok(data),
            Codec::Deflate(deflater) => {
                let most = deflater.deflate_compress_bound(data.len());
                deflater.deflate_compress(data, room(buffer, most)).map_err(failed)?
            }
            Codec::Snappy => {
                let most = snap::raw::max_compress_len(data.len());
                let room = room(buffer, most + 4);
                let length = snap::raw::Encoder::new().compress(data, room).map_err(failed)?;
                let checksum = crc32fast::hash(data).to_be_bytes();
                buffer[length..length + 4].copy_from_slice(&checksum);
                length + 4
            }
            Codec::Zstandard(compressor) => {
                let most = zstd::zstd_safe::compress_bound(data.len());
                compressor.compress_to_buffer(data, room(buffer, most)).map_err(failed)?
            }
        };
        Ok(&self.buffer[..length])
    }
}

/// At least that many bytes to write into.
fn room(buffer: &mut Vec<u8>, length: usize) -> &mut [u8] {
    if buffer.len() < length {
        buffer.resize(length, 0);
    }
    &mut buffer[..]
}

fn wrong_level(compression: Compression, most: i32) -> Error {
    let found = match compression {
        Compression::Deflate(level) | Compression::Zstandard(level) => level,
        Compression::Null | Compression::Snappy => 0,
    };
    let name = compression.name();
    Error::invalid_input(format!("Avro codec {name}: expected a level of 1 to {most}, found {found}"))
}

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::internal("a block of Avro could not be compressed").caused_by(error)
}
