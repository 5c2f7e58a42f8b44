//! How is the end of an ORC file laid out, and how is the file compressed?
//!
//! Spec: ORC v1, File Tail, Postscript.
//!
//! Invariant: what cannot be read as this version reads it is refused here.

use floeberg_core::{Error, Result};

use super::message::Message;

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

impl Postscript {
    /// Reads a postscript.
    ///
    /// Errors: `Unsupported` for LZO and for versions after 0.12, `InvalidData` for anything else.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self> {
        let (mut footer_length, mut kind, mut block_size) = (None, 0, USUAL_BLOCK);
        let (mut version, mut has_magic) = (Vec::new(), false);
        for field in Message::new(bytes) {
            let (tag, value) = field?;
            match tag {
                1 => footer_length = Some(value.number()?),
                2 => kind = value.number()?,
                3 => block_size = value.number()?,
                4 => value.numbers(&mut version)?,
                8000 => has_magic = value.bytes()? == b"ORC",
                _ => {}
            }
        }
        if version.first().is_some_and(|major| *major > 0) {
            let version: Vec<_> = version.iter().map(u32::to_string).collect();
            let version = version.join(".");
            return Err(Error::unsupported(format!("ORC files of version {version} cannot be read")));
        }
        let compression = match kind {
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
        let footer_length = footer_length
            .ok_or_else(|| Error::invalid_data("the ORC file does not have the length of its footer"))?;
        if compression != Compression::None && block_size > LARGEST_BLOCK {
            return Err(Error::invalid_data(format!(
                "the ORC file claims blocks of {block_size} bytes, more than the limit of {LARGEST_BLOCK}"
            )));
        }
        let block_size = usize::try_from(block_size.min(LARGEST_BLOCK)).unwrap_or(usize::MAX);
        Ok(Self { footer_length, compression, block_size, has_magic })
    }
}
