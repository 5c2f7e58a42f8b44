//! How is the end of an ORC file laid out, and how is the file compressed?
//!
//! Spec: ORC v1, File Tail, Postscript.
//!
//! Invariant: a file that this version cannot read is refused here.

use floeberg_core::{Context as _, Error, Result};
use floeberg_protobuf::{message, parse};

/// Blocks are never larger: their length is written in 23 bits.
const LARGEST_BLOCK: u64 = (1 << 23) - 1;

/// What a file without its own says of the size of blocks.
const USUAL_BLOCK: u64 = 256 << 10;

/// How all but the postscript is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    /// Not at all, and not cut into blocks.
    None,
    /// Raw deflate.
    Zlib,
    /// Raw snappy.
    Snappy,
    /// Blocks of LZ4.
    Lz4,
    /// Zstandard.
    Zstd,
}

/// The last bytes of a file but one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Postscript {
    /// The bytes of the footer, before the postscript.
    pub(crate) footer_length: u64,
    /// How the file is compressed.
    pub(crate) compression: Compression,
    /// The bytes of a block before compression, at most.
    pub(crate) block_size: usize,
    /// Does it say that the file is ORC? The oldest writers say so in the first bytes only.
    pub(crate) has_magic: bool,
}

message! {
    /// A postscript as it is written.
    struct PostscriptMessage {
        footer_length: Option<u64> = 1,
        compression: u64 = 2,
        block_size: Option<u64> = 3,
        version: Vec<u32> = 4,
        magic: Vec<u8> = 8000,
    }
}

impl Postscript {
    /// Reads a postscript.
    ///
    /// Errors: `Unsupported` for LZO and for versions after 0.12, `InvalidData` for anything else.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self> {
        let written: PostscriptMessage = parse(bytes).context("message", "PostScript")?;
        let version = written.version;
        if version.first().is_some_and(|major| *major > 0) {
            let version: Vec<_> = version.iter().map(u32::to_string).collect();
            let version = version.join(".");
            return Err(Error::unsupported(format!("ORC files of version {version} cannot be read")));
        }
        let compression = match written.compression {
            0 => Compression::None,
            1 => Compression::Zlib,
            2 => Compression::Snappy,
            3 => return Err(Error::unsupported("ORC files that are compressed with LZO cannot be read")),
            4 => Compression::Lz4,
            5 => Compression::Zstd,
            other => {
                return Err(Error::invalid_data(format!("the ORC file has the unknown compression {other}")));
            }
        };
        let footer_length = written
            .footer_length
            .ok_or_else(|| Error::invalid_data("the ORC file does not have the length of its footer"))?;
        let block_size = written.block_size.unwrap_or(USUAL_BLOCK);
        if compression != Compression::None && block_size > LARGEST_BLOCK {
            return Err(Error::invalid_data(format!(
                "the ORC file claims blocks of {block_size} bytes, more than the limit of {LARGEST_BLOCK}"
            )));
        }
        let block_size = usize::try_from(block_size.min(LARGEST_BLOCK)).unwrap_or(usize::MAX);
        Ok(Self { footer_length, compression, block_size, has_magic: written.magic == b"ORC" })
    }
}
