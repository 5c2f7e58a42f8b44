//! What do the records of an Avro file hold, as columns?
//!
//! In: the bytes of a file and a projection. Out: one struct array, a child per wanted field.
//! Spec: Avro 1.12, Object Container Files; Iceberg, Column Projection.
//!
//! Invariant: a block is decoded to its last byte, or it is an error.

use arrow_array::StructArray;
use arrow_schema::Fields;
use floeberg_core::{Context, Error, Result};

use super::column::Column;
use super::compile::{Program, compile};
use super::cursor::Cursor;
use super::finish::{finish_struct, output_fields};
use super::skip::check_count;
use super::step::run_steps;
use super::{AvroSchema, Block, Container, Limits, Projection};

/// Decodes all records of a file, which was written with that schema.
pub fn decode(
    container: &Container<'_>,
    schema: &AvroSchema,
    projection: &Projection<'_>,
) -> Result<StructArray> {
    let mut decoder = Decoder::new(schema, projection, container.limits())?;
    let mut blocks = container.blocks();
    while let Some(block) = blocks.next_block()? {
        decoder.push(&block)?;
    }
    decoder.finish()
}

/// Gathers records block by block.
#[derive(Debug)]
pub struct Decoder {
    program: Program,
    fields: Fields,
    rows: usize,
    empty_left: u64,
    batch_bytes: usize,
}

/// Few enough that what they add is small, many enough that adding up the columns costs nothing.
const ROWS_BETWEEN_CHECKS: u64 = 1024;

impl Decoder {
    /// Compiles a projection.
    pub fn new(schema: &AvroSchema, projection: &Projection<'_>, limits: &Limits) -> Result<Self> {
        let program = compile(schema, projection, limits)?;
        let fields = output_fields(projection.fields, &program.outputs)?;
        Ok(Self {
            program,
            fields,
            rows: 0,
            empty_left: limits.empty_values,
            batch_bytes: limits.batch_bytes,
        })
    }

    /// Decodes the records of a block.
    pub fn push(&mut self, block: &Block<'_>) -> Result<()> {
        self.decode_block(block).context("block_offset", block.offset)
    }

    fn decode_block(&mut self, block: &Block<'_>) -> Result<()> {
        let Program { steps, columns, record_may_be_empty, .. } = &mut self.program;
        let mut cursor = Cursor::new(block.data);
        check_count(&cursor, block.rows, *record_may_be_empty, &mut self.empty_left)?;
        for row in 1..=block.rows {
            run_steps(steps, &mut cursor, columns, &mut self.empty_left)?;
            if row % ROWS_BETWEEN_CHECKS == 0 || row == block.rows {
                check_memory(columns, self.batch_bytes)?;
            }
        }
        if cursor.remaining() > 0 {
            let (rows, left) = (block.rows, cursor.remaining());
            return Err(
                cursor.error(&format!("the end of a block of {rows} records, found {left} more bytes"))
            );
        }
        self.rows += block.rows as usize;
        Ok(())
    }

    /// How many records were gathered since the last `finish`.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The records gathered since the last `finish`, as one array without nulls.
    pub fn finish(&mut self) -> Result<StructArray> {
        let rows = std::mem::take(&mut self.rows);
        let Program { columns, outputs, .. } = &mut self.program;
        finish_struct(&self.fields, outputs, columns, rows, None)
    }
}

fn check_memory(columns: &[Column], most: usize) -> Result<()> {
    let bytes: usize = columns.iter().map(Column::bytes).sum();
    if bytes > most {
        return Err(Error::limit(format!(
            "the columns decoded from an Avro file pass {most} bytes in one batch"
        )));
    }
    Ok(())
}
