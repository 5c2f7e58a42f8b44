//! Avro: whole files, and schemas and records apart.

use std::collections::BTreeSet;

use arrow_array::RecordBatch;
use bytes::Bytes;
use floeberg_avro::{Container, Enough, Limits, Records, Taken, arrow_fields};
use floeberg_core::Result;

use crate::avro_oracle::agrees;
use crate::avro_shapes::file_of;
use crate::judge::decoded;

/// Longer files repeat themselves.
const LONGEST: usize = 1 << 16;

/// Below what real files have, so that passing one is cheap.
fn limits() -> Limits {
    Limits {
        block_bytes: 1 << 20,
        file_bytes: 4 << 20,
        batch_bytes: 32 << 20,
        schema_bytes: 1 << 16,
        type_depth: 32,
        type_count: 1 << 10,
        empty_values: 1 << 12,
    }
}

/// A container file, as written.
pub(crate) fn avro_file(bytes: &[u8]) {
    if bytes.len() > LONGEST {
        return;
    }
    if let Some(batches) = decoded(rows(bytes, usize::MAX)) {
        agrees(bytes, &batches);
    }
}

/// A first part of the bytes chooses a schema, the rest is one block of records: in batches of any size there are the
/// same rows, and those that apache-avro finds.
pub(crate) fn avro_engine(bytes: &[u8]) {
    if bytes.len() > LONGEST {
        return;
    }
    let Some(file) = file_of(bytes) else { return };
    let whole = decoded(rows(&file, usize::MAX));
    let few = decoded(rows(&file, 3));
    if let (Some(whole), Some(few)) = (&whole, &few) {
        let counted = |batches: &[RecordBatch]| batches.iter().map(RecordBatch::num_rows).sum::<usize>();
        assert_eq!(counted(whole), counted(few));
    }
    assert_eq!(whole.is_some(), few.is_some(), "the size of batches decides what is damaged");
    if let Some(batches) = whole {
        agrees(&file, &batches);
    }
}

/// All columns of a file, in batches of so many rows.
fn rows(bytes: &[u8], most: usize) -> Result<Vec<RecordBatch>> {
    let container = Container::open(bytes, &limits())?;
    let schema = container.schema()?;
    let fields = arrow_fields(&schema, container.limits())?;
    let leaves: BTreeSet<usize> = (0..1 << 10).collect();
    let mut records = Records::new(&container.block_form(), &schema, &fields, &leaves)?;
    let enough = Enough { rows: most, bytes: usize::MAX };
    let mut offset = container.data_start();
    let mut batches = Vec::new();
    loop {
        if records.advance(enough)? {
            batches.push(records.finish()?);
        } else if !records.is_in_block() {
            let left = &bytes[offset..];
            if left.is_empty() {
                batches.push(records.finish()?);
                return Ok(batches);
            }
            match records.take_block(&Bytes::copy_from_slice(left), offset as u64, left.len() as u64)? {
                Taken::Block(length) => offset += length,
                Taken::Needs(length) => panic!("{length} bytes are wanted of {}", left.len()),
            }
        }
    }
}
