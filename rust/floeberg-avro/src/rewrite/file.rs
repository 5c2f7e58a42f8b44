//! How is a whole Avro file written again?
//!
//! In: its bytes, and the fields whose values may change. Out: the bytes of the new file, in parts.
//! Spec: Avro 1.12, Object Container Files.
//!
//! Invariant: the header stays byte for byte, so that the schema, the codec and the marker do.

use floeberg_core::{Context, Error, Result};

use super::step::{Compiler, Copier, Step};
use super::{Change, Found};
use crate::read::{Container, Cursor, FixedForm};
use crate::schema::{AvroSchema, AvroType, Limits};
use crate::write::{BlockEncoder, Compression, ContainerOptions};

/// The bytes of a marker between blocks.
const MARKER: usize = 16;

/// Writes a file again, in which `change` says what values of some fields become. `fields` are their ids, and their names for files
/// without ids. Returns the length of the new file.
///
/// Lists and maps of ints are values of their field; fields within lists and other maps are not looked for.
///
/// Errors: `InvalidData` for a damaged file; `LimitExceeded` for one beyond the limits; those of `change` and of `write`.
pub fn rewrite(
    bytes: &[u8],
    limits: &Limits,
    fields: &[(i32, &str)],
    mut change: impl FnMut(&Found<'_>) -> Result<Change>,
    mut write: impl FnMut(&[u8]) -> Result<()>,
) -> Result<u64> {
    let container = Container::open(bytes, limits)?;
    let schema = container.schema()?;
    let fixed = fixed_form(&container, &schema, fields, limits)?;
    let step = Compiler::new(&schema, fields, fixed, limits).of(schema.root, None, 0)?;
    let header = bytes.get(..container.data_start()).and_then(|header| Some((header, header.last_chunk()?)));
    let Some((header, marker)): Option<(&[u8], &[u8; MARKER])> = header else {
        return Err(Error::internal("the header of an Avro file ends with a marker"));
    };
    let compression = match container.metadata("avro.codec") {
        Some(b"deflate") => Compression::default(),
        Some(b"snappy") => Compression::Snappy,
        Some(b"zstandard") => Compression::Zstandard(ZSTANDARD_LEVEL),
        // Any other was refused when the file was opened.
        _ => Compression::Null,
    };
    let block_bytes = ContainerOptions::default().block_bytes;
    let mut blocks = BlockEncoder::new(compression, *marker, block_bytes)?;
    let mut length = 0;
    let mut put = |part: &[u8]| {
        length += part.len() as u64;
        write(part)
    };
    put(header)?;
    walk(&container, &step, limits, &mut change, |copier, step| {
        if blocks.add(|out| copier.copy(step, None, out).map(drop))? { blocks.end(&mut put) } else { Ok(()) }
    })?;
    blocks.end(&mut put)?;
    Ok(length)
}

/// The level that Iceberg Java has.
const ZSTANDARD_LEVEL: i32 = 3;

/// Goes through the records of all blocks.
fn walk<F: FnMut(&Found<'_>) -> Result<Change>>(
    container: &Container<'_>,
    step: &Step,
    limits: &Limits,
    change: &mut F,
    mut each: impl FnMut(&mut Copier<'_, F>, &Step) -> Result<()>,
) -> Result<()> {
    let (mut row, mut empty_left) = (0, limits.empty_values);
    let mut blocks = container.blocks();
    while let Some(block) = blocks.next_block()? {
        let (offset, data) = (block.offset, block.data);
        let mut copier = Copier {
            data,
            cursor: Cursor::new(data),
            empty_left: &mut empty_left,
            row,
            change: &mut *change,
        };
        for _ in 0..block.rows {
            let before = copier.cursor.position();
            each(&mut copier, step).context("block_offset", offset)?;
            copier.row += 1;
            if copier.cursor.position() == before {
                // Else a few bytes could claim records without end.
                let left = copier.empty_left.checked_sub(1);
                *copier.empty_left = left.ok_or_else(|| {
                    Error::limit("records without bytes pass the limit of an Avro file")
                        .with("block_offset", offset)
                })?;
            }
        }
        row = copier.row;
        if copier.cursor.remaining() > 0 {
            return Err(copier.cursor.error("the end of the block")).context("block_offset", offset);
        }
    }
    Ok(())
}

/// How values of `fixed` are stored. Iceberg Java writes those of partitions after their length, though its schema says otherwise: read
/// so, every block must end at its last byte.
fn fixed_form(
    container: &Container<'_>,
    schema: &AvroSchema,
    fields: &[(i32, &str)],
    limits: &Limits,
) -> Result<FixedForm> {
    if !schema.types.iter().any(|each| matches!(each, AvroType::Fixed(..))) {
        return Ok(FixedForm::Bare);
    }
    let check = |form: FixedForm| {
        let step = Compiler::new(schema, fields, form, limits).of(schema.root, None, 0)?;
        let mut keep = |_: &Found<'_>| Ok(Change::Keep);
        let mut out = crate::write::Encoder::default();
        walk(container, &step, limits, &mut keep, |copier, step| {
            out.truncate(0);
            copier.copy(step, None, &mut out).map(drop)
        })
    };
    match check(FixedForm::Bare) {
        Ok(()) => Ok(FixedForm::Bare),
        Err(error) => match check(FixedForm::Prefixed) {
            Ok(()) => Ok(FixedForm::Prefixed),
            Err(_) => Err(error),
        },
    }
}
