//! How do records become an Avro file?
//!
//! In: a writer schema, header metadata and records. Out: the bytes of a whole file, block by block.
//! Spec: Avro 1.12, Object Container Files (drawn beside the reader, `container.rs`).
//!
//! Invariant: memory holds one block; a record that failed leaves no bytes behind.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;

use floeberg_core::{Error, ErrorKind, Result};

use super::blocks::BlockEncoder;
use super::compress::Compression;
use super::encoder::Encoder;
use crate::read::MAGIC;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContainerOptions {
    /// How blocks are stored.
    pub compression: Compression,
    /// A block ends with the record that brings it to this many bytes, before it is compressed.
    pub block_bytes: usize,
    /// The marker between blocks; `None` draws one.
    pub sync: Option<[u8; 16]>,
}

/// Blocks of the size that Iceberg Java writes.
impl Default for ContainerOptions {
    fn default() -> Self {
        Self { compression: Compression::default(), block_bytes: 64_000, sync: None }
    }
}

/// An Avro file in the making.
pub struct ContainerWriter<W> {
    output: W,
    written: u64,
    blocks: BlockEncoder,
}

impl<W: Write> ContainerWriter<W> {
    /// Writes the header: the schema and the codec, then `metadata` in its order.
    ///
    /// Errors: `InvalidInput` for a level that the codec does not have; `Storage` where the output fails.
    pub fn new(
        output: W,
        schema: &str,
        metadata: &[(&str, String)],
        options: &ContainerOptions,
    ) -> Result<Self> {
        let sync = options.sync.unwrap_or_else(random_marker);
        let blocks = BlockEncoder::new(options.compression, sync, options.block_bytes)?;
        let mut writer = Self { output, written: 0, blocks };
        write(&mut writer.output, &mut writer.written, &header(schema, metadata, options.compression, sync))?;
        Ok(writer)
    }

    /// Adds the record that `put` encodes; a failure leaves the file unchanged.
    pub fn add(&mut self, put: impl FnOnce(&mut Encoder) -> Result<()>) -> Result<()> {
        if self.blocks.add(put)? { self.end_block() } else { Ok(()) }
    }

    /// How many bytes the file has so far, including the open block.
    pub fn length(&self) -> u64 {
        self.written.saturating_add(self.blocks.pending() as u64)
    }

    /// Ends the file: the output, and how many bytes were written to it.
    pub fn finish(mut self) -> Result<(W, u64)> {
        self.end_block()?;
        self.output.flush().map_err(not_written)?;
        Ok((self.output, self.written))
    }

    fn end_block(&mut self) -> Result<()> {
        let Self { output, written, blocks } = self;
        blocks.end(|bytes| write(output, written, bytes))
    }
}

impl ContainerWriter<Vec<u8>> {
    /// Ends the open block and takes all bytes since the last cut: after the first one, these are whole blocks.
    ///
    /// Errors: those of [`add`](Self::add).
    pub fn cut(&mut self) -> Result<Vec<u8>> {
        self.end_block()?;
        self.written = 0;
        // The next one will be about as long.
        let next = Vec::with_capacity(self.output.len());
        Ok(std::mem::replace(&mut self.output, next))
    }
}

/// The header before the blocks: the schema and the codec, then `metadata` in its order, then the marker.
pub fn header(
    schema: &str,
    metadata: &[(&str, String)],
    compression: Compression,
    sync: [u8; 16],
) -> Vec<u8> {
    let mut header = Encoder::default();
    header.fixed(&MAGIC);
    let own = [("avro.schema", schema), ("avro.codec", compression.name())];
    let given = metadata.iter().map(|(key, value)| (*key, value.as_str()));
    let all: Vec<(&str, &str)> = own.into_iter().chain(given).collect();
    header.items(all.iter(), |header, (key, value)| {
        header.prefixed(key.as_bytes());
        header.prefixed(value.as_bytes());
    });
    header.fixed(&sync);
    header.into_bytes()
}

fn write(output: &mut impl Write, written: &mut u64, bytes: &[u8]) -> Result<()> {
    output.write_all(bytes).map_err(not_written)?;
    *written += bytes.len() as u64;
    Ok(())
}

fn not_written(error: std::io::Error) -> Error {
    Error::new(ErrorKind::Storage, "an Avro file could not be written").caused_by(error)
}

/// Sixteen random bytes, by the random hash keys of the standard library.
pub fn random_marker() -> [u8; 16] {
    let mut marker = [0; 16];
    for half in marker.chunks_exact_mut(8) {
        half.copy_from_slice(&RandomState::new().build_hasher().finish().to_le_bytes());
    }
    marker
}
