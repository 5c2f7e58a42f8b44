//! What are the records of a file that is read piece by piece?
//!
//! In: bytes of the file in order. Out: batches of some of its columns.
//! Spec: Avro 1.12, Object Container Files.
//!
//! Invariant: one block is in memory at a time, and about one batch of its columns.

use std::collections::BTreeSet;
use std::fmt;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Fields, Schema};
use bytes::Bytes;
use floeberg_core::{Context, Error, Result};

use super::codec::Inflater;
use super::container::BlockForm;
use super::decode::{Decoder, Enough, Progress};
use super::frame::{FRAME_START, Framing, frame};
use crate::schema::{AvroSchema, Limits};

/// Decodes blocks one after the other.
pub struct Records {
    decoder: Decoder,
    inflater: Inflater,
    sync: [u8; 16],
    limits: Limits,
    block: Option<Open>,
}

/// The block that is being decoded.
struct Open {
    stored: Bytes,
    progress: Progress,
    offset: u64,
}

/// The result of passing bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// A block of this many bytes was taken.
    Block(usize),
    /// No block was taken: the next one needs this many bytes, which the file has.
    Needs(usize),
}

impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("decoder", &self.decoder).finish_non_exhaustive()
    }
}

impl Records {
    /// The bytes that are needed to find the size of a block.
    pub const START: usize = FRAME_START;

    /// For some leaves of a file with that schema and codec.
    pub fn new(
        form: &BlockForm,
        schema: &AvroSchema,
        fields: &Fields,
        leaves: &BTreeSet<usize>,
    ) -> Result<Self> {
        let BlockForm { codec, sync, limits } = *form;
        let decoder = Decoder::of_leaves(schema, fields, leaves, &limits)?;
        Ok(Self { decoder, inflater: Inflater::new(codec), sync, limits, block: None })
    }

    /// Takes the next block from the bytes that start at an offset of the file, which has `left` from there.
    pub fn take_block(&mut self, bytes: &Bytes, offset: u64, left: u64) -> Result<Taken> {
        match frame(bytes, left, &self.sync, &self.limits).context("block_offset", offset)? {
            Framing::Needs(bytes) => Ok(Taken::Needs(bytes)),
            Framing::Whole(frame) => {
                self.open(frame.rows, bytes.slice(frame.stored), offset).context("block_offset", offset)?;
                Ok(Taken::Block(frame.length))
            }
        }
    }

    fn open(&mut self, rows: u64, stored: Bytes, offset: u64) -> Result<()> {
        self.inflater.load(&stored, self.limits.block_bytes)?;
        let progress = self.decoder.begin(rows, self.inflater.data(&stored))?;
        self.block = Some(Open { stored, progress, offset });
        Ok(())
    }

    /// Decodes records of the block until it is at its end or enough are gathered. Are enough gathered?
    pub fn advance(&mut self, enough: Enough) -> Result<bool> {
        if let Some(block) = &mut self.block {
            let data = self.inflater.data(&block.stored);
            self.decoder.advance(data, &mut block.progress, enough).context("block_offset", block.offset)?;
            if block.progress.rows == 0 {
                self.block = None;
            }
        }
        Ok(self.decoder.has(enough))
    }

    /// Is a block not yet decoded to its end?
    pub fn is_in_block(&self) -> bool {
        self.block.is_some()
    }

    /// The records that were gathered since the last call.
    pub fn finish(&mut self) -> Result<RecordBatch> {
        let rows = self.decoder.rows();
        let (fields, columns, _) = self.decoder.finish()?.into_parts();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Schema::new(fields).into(), columns, &options).map_err(|error| {
            Error::internal(format!("the columns of an Avro file do not fit into a batch: {error}"))
        })
    }
}
