//! How are the blobs and the footer of a Puffin file compressed?
//!
//! Spec: Puffin, Compression codecs.

use std::borrow::Cow;

use floeberg_core::{Error, Result};
use floeberg_io::read_bounded;

/// A codec of blobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// A single LZ4 frame.
    Lz4,
    /// A single Zstandard frame.
    Zstd,
}

impl Compression {
    /// As footers write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
        }
    }

    pub(super) fn parse(name: &str) -> Result<Self> {
        match name {
            "lz4" => Ok(Self::Lz4),
            "zstd" => Ok(Self::Zstd),
            other => {
                let found: String = other.chars().take(40).collect();
                Err(Error::unsupported(format!("Puffin codec {found}: expected lz4 or zstd")))
            }
        }
    }
}

/// The content of a blob as one frame, which says how long the content is.
///
/// Errors: `Unsupported` for a codec that is only read.
pub fn compress(content: &[u8], codec: Option<Compression>) -> Result<Cow<'_, [u8]>> {
    match codec {
        None => Ok(Cow::Borrowed(content)),
        Some(Compression::Zstd) => zstd::bulk::compress(content, zstd::DEFAULT_COMPRESSION_LEVEL)
            .map(Cow::Owned)
            .map_err(|error| Error::internal("a Puffin blob is compressed").caused_by(error)),
        Some(Compression::Lz4) => {
            Err(Error::unsupported("Puffin blobs are written without compression or with zstd, found lz4"))
        }
    }
}

/// The decompressed bytes, at most `limit`.
pub(super) fn decompress(stored: &[u8], codec: Option<Compression>, limit: usize) -> Result<Cow<'_, [u8]>> {
    let mut content = Vec::new();
    match codec {
        None => return Ok(Cow::Borrowed(stored)),
        Some(Compression::Lz4) => {
            read_bounded(lz4_flex::frame::FrameDecoder::new(stored), limit, "an LZ4 frame", &mut content)?;
        }
        Some(Compression::Zstd) => {
            let frame = zstd::stream::read::Decoder::with_buffer(stored)
                .map_err(|error| Error::invalid_data("expected a Zstandard frame").caused_by(error))?;
            read_bounded(frame, limit, "a Zstandard frame", &mut content)?;
        }
    }
    Ok(Cow::Owned(content))
}
