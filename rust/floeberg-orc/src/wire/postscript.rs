//! How is the end of an ORC file laid out, and how is the file compressed?
//!
//! Spec: ORC v1, File Tail, Postscript.
//!
//! Invariant: a file that this version cannot read is refused here.

use floeberg_core::{Context as _, Error, Result};
use floeberg_protobuf::{message, parse, to_bytes};

/// The first bytes of a file, and the last of its postscript.
pub(crate) const MAGIC: &[u8] = b"ORC";

/// The version of the format that is written.
const VERSION: [u32; 2] = [0, 12];

/// The version of the reference writer whose statistics and encodings are written: ORC-14.
pub(crate) const WRITER_VERSION: u32 = 9;

/// Blocks are never larger: their length is written in 23 bits.
const LARGEST_BLOCK: u64 = (1 << 23) - 1;

/// What a file without its own says of the size of blocks.
const USUAL_BLOCK: u64 = 256 << 10;

/// How all but the postscript is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
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
    /// The bytes of the statistics of stripes, before the footer.
    pub(crate) metadata_length: u64,
    /// Which faults the statistics may have: writers before version 1 made wrong ones.
    pub(crate) writer_version: u32,
    /// Does it say that the file is ORC? The oldest writers say so in the first bytes only.
    pub(crate) has_magic: bool,
}

message! {
    /// A postscript as it is written.
    struct PostscriptMessage {
        footer_length: Option<u64> = 1,
        compression: Option<u64> = 2,
        block_size: Option<u64> = 3,
        version: Vec<u32> = 4,
        metadata_length: u64 = 5,
        writer_version: u32 = 6,
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
        let compression = match written.compression.unwrap_or(0) {
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
        Ok(Self {
            footer_length,
            compression,
            block_size,
            metadata_length: written.metadata_length,
            writer_version: written.writer_version,
            has_magic: written.magic == MAGIC,
        })
    }

    /// Its bytes.
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let compression = match self.compression {
            Compression::None => 0,
            Compression::Zlib => 1,
            Compression::Snappy => 2,
            Compression::Lz4 => 4,
            Compression::Zstd => 5,
        };
        to_bytes(&PostscriptMessage {
            footer_length: Some(self.footer_length),
            compression: Some(compression),
            block_size: (compression != 0).then_some(self.block_size as u64),
            version: VERSION.to_vec(),
            metadata_length: self.metadata_length,
            writer_version: self.writer_version,
            magic: MAGIC.to_vec(),
        })
    }
}
