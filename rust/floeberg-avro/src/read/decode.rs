//! What do the records of an Avro file hold, as columns?
//!
//! In: blocks of a file and the wanted fields. Out: struct arrays, a child per wanted field.
//! Spec: Avro 1.12, Object Container Files; Iceberg, Column Projection.
//!
//! Invariant: a block is decoded to its last byte, or it is an error.

use std::collections::BTreeSet;

use arrow_array::StructArray;
use arrow_schema::Fields;
use floeberg_core::{Context, Result};

use super::allowance::Allowance;
use super::compile::Projection;
use super::compile::{Program, compile};
use super::compile_leaves::compile_leaves;
use super::container::{Block, Blocks, Container};
use super::cursor::Cursor;
use super::finish::{finish_struct, output_fields};
use super::skip::check_count;
use super::step::run_steps;
use crate::schema::{AvroSchema, Limits};

/// The most records to reserve memory for: the record count of a file is only a claim.
const MOST_ROOM: usize = 1 << 16;

/// Decodes all records of a file, which was written with that schema.
pub fn decode(
    container: &Container<'_>,
    schema: &AvroSchema,
    projection: &Projection<'_>,
) -> Result<StructArray> {
    decode_blocks(&mut container.blocks(), 0, schema, projection)
}

/// Decodes all records of some blocks of a file, which was written with that schema. Reserves memory for about so many
/// records.
pub fn decode_blocks(
    blocks: &mut Blocks<'_>,
    rows: u64,
    schema: &AvroSchema,
    projection: &Projection<'_>,
) -> Result<StructArray> {
    let mut decoder = Decoder::new(schema, projection, blocks.limits())?;
    let room = usize::try_from(rows).map_or(MOST_ROOM, |rows| rows.min(MOST_ROOM));
    decoder.program.columns.iter_mut().for_each(|column| column.reserve(room));
    let mut is_first = true;
    while let Some(block) = blocks.next_block()? {
        decoder.push(&block)?;
        if std::mem::take(&mut is_first) {
            let (done, more) = (decoder.rows, room.saturating_sub(decoder.rows));
            decoder.program.columns.iter_mut().for_each(|column| column.reserve_bytes(done, more));
        }
    }
    decoder.finish()
}

/// Gathers records into columns.
#[derive(Debug)]
pub struct Decoder {
    program: Program,
    fields: Fields,
    rows: usize,
    allowance: Allowance,
}

/// The progress within a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Remaining records.
    pub rows: u64,
    /// The offset of the next record in the block's data.
    pub position: usize,
}

/// When to stop gathering: as soon as one is reached.
#[derive(Debug, Clone, Copy)]
pub struct Enough {
    /// Records gathered.
    pub rows: usize,
    /// Bytes of the columns, about.
    pub bytes: usize,
}

impl Enough {
    /// No limit.
    const NEVER: Self = Self { rows: usize::MAX, bytes: usize::MAX };
}

impl Decoder {
    /// Compiles a projection by field ids.
    pub fn new(schema: &AvroSchema, projection: &Projection<'_>, limits: &Limits) -> Result<Self> {
        let program = compile(schema, projection, limits)?;
        let fields = output_fields(projection.fields, &program.outputs)?;
        Ok(Self { program, fields, rows: 0, allowance: Allowance::new(limits) })
    }

    /// Compiles a projection of some of the leaves of [`arrow_fields`](crate::arrow_fields), in the types of the file.
    pub fn of_leaves(
        schema: &AvroSchema,
        fields: &Fields,
        leaves: &BTreeSet<usize>,
        limits: &Limits,
    ) -> Result<Self> {
        let (program, fields) = compile_leaves(schema, fields, leaves, limits)?;
        Ok(Self { program, fields, rows: 0, allowance: Allowance::new(limits) })
    }

    /// Decodes the records of a block.
    pub fn push(&mut self, block: &Block<'_>) -> Result<()> {
        self.whole_block(block).context("block_offset", block.offset)
    }

    fn whole_block(&mut self, block: &Block<'_>) -> Result<()> {
        let mut progress = self.begin(block.rows, block.data)?;
        self.advance(block.data, &mut progress, Enough::NEVER)
    }

    /// Begins to decode a block of this many records.
    pub fn begin(&mut self, rows: u64, data: &[u8]) -> Result<Progress> {
        let may_be_empty = self.program.record_may_be_empty;
        check_count(&Cursor::new(data), rows, may_be_empty, &mut self.allowance.empty_left)?;
        Ok(Progress { rows, position: 0 })
    }

    /// Decodes records of a block until the block is at its end or enough are gathered.
    pub fn advance(&mut self, data: &[u8], progress: &mut Progress, enough: Enough) -> Result<()> {
        let Program { steps, columns, width, .. } = &mut self.program;
        let allowance = &mut self.allowance;
        let mut cursor = Cursor::at(data, progress.position);
        while progress.rows > 0 && self.rows < enough.rows && allowance.gathered() < enough.bytes {
            allowance.spend(*width, columns)?;
            run_steps(steps, &mut cursor, columns, allowance)?;
            allowance.note((cursor.position() - progress.position) as u64, columns)?;
            progress.position = cursor.position();
            progress.rows -= 1;
            self.rows += 1;
        }
        match cursor.remaining() {
            left if progress.rows == 0 && left > 0 => {
                Err(cursor
                    .error(&format!("the end of a block after its last record, found {left} more bytes")))
            }
            _ => Ok(()),
        }
    }

    /// Are enough records gathered?
    pub fn has(&self, enough: Enough) -> bool {
        self.rows >= enough.rows || self.allowance.gathered() >= enough.bytes
    }

    /// How many records were gathered since the last `finish`.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The records gathered since the last `finish`, as one array without nulls.
    pub fn finish(&mut self) -> Result<StructArray> {
        let rows = std::mem::take(&mut self.rows);
        self.allowance.emptied();
        let Program { columns, outputs, .. } = &mut self.program;
        finish_struct(&self.fields, outputs, columns, rows, None)
    }
}
