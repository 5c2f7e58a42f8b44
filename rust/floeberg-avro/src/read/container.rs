//! Where are the blocks of an Avro file, and what does its header say?
//!
//! In: the bytes of a whole file. Out: header metadata, and one decompressed block after the other.
//! Spec: Avro 1.12, Object Container Files.
//!
//! ```text
//! 'O' 'b' 'j' 1 | metadata: map of bytes | sync (16) | { rows: long | size: long | data | sync (16) } ...
//! ```
//!
//! Invariant: counts and sizes are checked against the bytes that are left before they are used.

use std::collections::BTreeMap;

use floeberg_core::{Context, Error, Result};
use floeberg_io::refuse_encrypted;

use super::block_range::{BlockRange, ranges};
use super::codec::{Codec, Inflater};
use super::cursor::Cursor;
use super::frame::{Framing, frame, whole_frame};
use crate::schema::{AvroSchema, Limits, parse_schema};

pub(crate) const MAGIC: [u8; 4] = *b"Obj\x01";

/// An Avro file whose header was read.
#[derive(Debug)]
pub struct Container<'a> {
    bytes: &'a [u8],
    metadata: BTreeMap<String, &'a [u8]>,
    codec: Codec,
    sync: [u8; 16],
    data_start: usize,
    limits: Limits,
}

/// How the blocks of one file are stored.
#[derive(Debug, Clone, Copy)]
pub struct BlockForm {
    pub(super) codec: Codec,
    pub(super) sync: [u8; 16],
    pub(super) limits: Limits,
}

impl BlockForm {
    /// The block that starts the bytes, of which the file has `left` from there: at least
    /// [`FRAME_START`](crate::FRAME_START) bytes, or all that are left. Nothing is decompressed.
    pub fn frame(&self, bytes: &[u8], left: u64) -> Result<Framing> {
        frame(bytes, left, &self.sync, &self.limits)
    }
}

/// A decompressed block.
#[derive(Debug)]
pub struct Block<'a> {
    /// Where it starts in the file.
    pub offset: usize,
    /// How many records it holds.
    pub rows: u64,
    /// Their bytes.
    pub data: &'a [u8],
}

impl<'a> Container<'a> {
    /// Reads the header.
    pub fn open(bytes: &'a [u8], limits: &Limits) -> Result<Self> {
        let mut cursor = Cursor::new(bytes);
        refuse_encrypted(bytes)?;
        // A fuzzer does not guess the magic.
        if !bytes.starts_with(&MAGIC) && !cfg!(fuzzing) {
            let found: Vec<u8> = bytes.iter().take(4).copied().collect();
            return Err(Error::invalid_data(format!(
                "expected an Avro file, which starts with the bytes 4f 62 6a 01; found {found:02x?}"
            )));
        }
        cursor.skip(MAGIC.len())?;
        let metadata = read_metadata(&mut cursor).context("part", "Avro header")?;
        let sync = cursor.array().context("part", "Avro header")?;
        let codec = metadata.get("avro.codec").map_or(Ok(Codec::Null), |name| Codec::parse(name))?;
        Ok(Self { bytes, metadata, codec, sync, data_start: cursor.position(), limits: *limits })
    }

    /// A value of the header, as written.
    pub fn metadata(&self, key: &str) -> Option<&'a [u8]> {
        self.metadata.get(key).copied()
    }

    /// A text value of the header.
    pub fn metadata_text(&self, key: &str) -> Result<Option<&'a str>> {
        let Some(value) = self.metadata(key) else { return Ok(None) };
        std::str::from_utf8(value)
            .map(Some)
            .map_err(|_| Error::invalid_data(format!("Avro header: expected {key} to be UTF-8")))
    }

    /// The writer schema.
    pub fn schema(&self) -> Result<AvroSchema> {
        parse_schema(self.schema_json()?, &self.limits)
    }

    /// The writer schema as the header has it.
    pub fn schema_json(&self) -> Result<&'a [u8]> {
        let json = self.metadata("avro.schema");
        json.ok_or_else(|| Error::invalid_data("Avro header: expected the key avro.schema"))
    }

    /// The blocks, in order.
    pub fn blocks(&self) -> Blocks<'a> {
        self.blocks_from(self.bytes, self.data_start)
    }

    /// The blocks of a block range, in order.
    pub fn blocks_of(&self, blocks: &BlockRange) -> Blocks<'a> {
        let bytes = self.bytes.get(..blocks.bytes.end).unwrap_or(self.bytes);
        self.blocks_from(bytes, blocks.bytes.start.min(bytes.len()))
    }

    fn blocks_from(&self, bytes: &'a [u8], position: usize) -> Blocks<'a> {
        Blocks {
            bytes,
            position,
            inflater: Inflater::new(self.codec),
            sync: self.sync,
            limits: self.limits,
            inflated: 0,
        }
    }

    /// Splits the blocks into block ranges of about equal size, each of at most about this many stored bytes; a file without blocks
    /// has one. Nothing is decompressed.
    pub fn block_ranges(&self, most_bytes: usize) -> Result<Vec<BlockRange>> {
        ranges(self.bytes, self.data_start, &self.sync, &self.limits, most_bytes)
    }

    /// How its blocks are stored.
    pub fn block_form(&self) -> BlockForm {
        BlockForm { codec: self.codec, sync: self.sync, limits: self.limits }
    }

    /// Where the first block starts.
    pub fn data_start(&self) -> usize {
        self.data_start
    }

    /// The limits it was opened with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }
}

fn read_metadata<'a>(cursor: &mut Cursor<'a>) -> Result<BTreeMap<String, &'a [u8]>> {
    let mut metadata = BTreeMap::new();
    loop {
        let block = cursor.item_block()?;
        if block.count == 0 {
            return Ok(metadata);
        }
        if block.count > cursor.remaining() as u64 {
            return Err(cursor.error(&format!(
                "at most {} entries, found {}",
                cursor.remaining(),
                block.count
            )));
        }
        for _ in 0..block.count {
            let key = cursor.prefixed()?;
            let Ok(key) = std::str::from_utf8(key) else {
                return Err(cursor.error("a key of UTF-8 before here"));
            };
            metadata.insert(key.to_owned(), cursor.prefixed()?);
        }
    }
}

/// The blocks of a file, one at a time: the next block overwrites the one before.
pub struct Blocks<'a> {
    bytes: &'a [u8],
    position: usize,
    inflater: Inflater,
    sync: [u8; 16],
    limits: Limits,
    inflated: u64,
}

impl Blocks<'_> {
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Bytes of the blocks so far, after decompression.
    pub fn inflated(&self) -> u64 {
        self.inflated
    }

    /// The next block; `None` at the end of the file.
    pub fn next_block(&mut self) -> Result<Option<Block<'_>>> {
        let rest = &self.bytes[self.position..];
        if rest.is_empty() {
            return Ok(None);
        }
        let (offset, limits) = (self.position, self.limits);
        let frame = whole_frame(rest, &self.sync, &limits).context("block_offset", offset)?;
        self.position += frame.length;
        let data = self.inflater.inflate(&rest[frame.stored], limits.block_bytes);
        let data = data.context("block_offset", offset)?;
        self.inflated += data.len() as u64;
        if self.inflated > limits.file_bytes {
            let most = limits.file_bytes;
            return Err(Error::limit(format!("an Avro file decompresses to more than {most} bytes")));
        }
        Ok(Some(Block { offset, rows: frame.rows, data }))
    }
}
