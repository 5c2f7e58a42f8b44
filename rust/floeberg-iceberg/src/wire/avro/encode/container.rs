//! How do records become an Avro file?
//!
//! In: a writer schema, header metadata and records. Out: the bytes of a whole file, block by block.
//! Spec: Avro 1.12, Object Container Files (drawn beside the reader, `container.rs`).
//!
//! Invariant: memory holds one block; a record that failed leaves no bytes behind.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;

use floeberg_core::{Error, ErrorKind, Result};

use super::compress::Compressor;
use super::{Compression, Encoder};
use crate::wire::avro::Limits;
use crate::wire::avro::container::MAGIC;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContainerOptions {
    /// How blocks are stored.
    pub compression: Compression,
    /// A block ends with the record that brings it to so many bytes, before it is compressed.
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
    sync: [u8; 16],
    compressor: Compressor,
    block_bytes: usize,
    /// Records in the block.
    rows: i64,
    block: Encoder,
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
        let mut header = Encoder::default();
        header.fixed(&MAGIC);
        let own = [("avro.schema", schema), ("avro.codec", options.compression.name())];
        let given = metadata.iter().map(|(key, value)| (*key, value.as_str()));
        let all: Vec<(&str, &str)> = own.into_iter().chain(given).collect();
        header.items(all.iter(), |header, (key, value)| {
            header.prefixed(key.as_bytes());
            header.prefixed(value.as_bytes());
        });
        let sync = options.sync.unwrap_or_else(random_marker);
        header.fixed(&sync);
        let mut writer = Self {
            output,
            written: 0,
            sync,
            compressor: Compressor::new(options.compression)?,
            block_bytes: options.block_bytes,
            rows: 0,
            block: Encoder::default(),
        };
        write(&mut writer.output, &mut writer.written, header.bytes())?;
        Ok(writer)
    }

    /// Adds the record that `put` encodes; the file is as before where that fails.
    pub fn add(&mut self, put: impl FnOnce(&mut Encoder) -> Result<()>) -> Result<()> {
        let start = self.block.bytes().len();
        if let Err(error) = put(&mut self.block) {
            self.block.truncate(start);
            return Err(error);
        }
        let size = self.block.bytes().len();
        let most = Limits::default().block_bytes;
        if size > most {
            self.block.truncate(start);
            return Err(Error::limit(format!(
                "a record of {} bytes: blocks of {most} are read",
                size - start
            )));
        }
        self.rows += 1;
        if self.block.bytes().len() >= self.block_bytes { self.end_block() } else { Ok(()) }
    }

    /// How many bytes the file has so far, those of the block that is not stored yet among them.
    pub fn length(&self) -> u64 {
        self.written.saturating_add(self.block.bytes().len() as u64)
    }

    /// Ends the file: the output, and how many bytes were written to it.
    pub fn finish(mut self) -> Result<(W, u64)> {
        self.end_block()?;
        self.output.flush().map_err(not_written)?;
        Ok((self.output, self.written))
    }

    fn end_block(&mut self) -> Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let stored = self.compressor.compress(self.block.bytes())?;
        let mut frame = Encoder::default();
        frame.long(self.rows);
        frame.long(stored.len() as i64);
        for part in [frame.bytes(), stored, &self.sync] {
            write(&mut self.output, &mut self.written, part)?;
        }
        self.rows = 0;
        self.block.truncate(0);
        Ok(())
    }
}

fn write(output: &mut impl Write, written: &mut u64, bytes: &[u8]) -> Result<()> {
    output.write_all(bytes).map_err(not_written)?;
    *written += bytes.len() as u64;
    Ok(())
}

fn not_written(error: std::io::Error) -> Error {
    Error::new(ErrorKind::Storage, "an Avro file could not be written").caused_by(error)
}

/// Sixteen bytes that no other file is likely to have: the standard library draws the keys of its hashes at random.
fn random_marker() -> [u8; 16] {
    let mut marker = [0; 16];
    for half in marker.chunks_exact_mut(8) {
        half.copy_from_slice(&RandomState::new().build_hasher().finish().to_le_bytes());
    }
    marker
}
