//! Which rows does an Arrow deletion file delete?
//!
//! In: the bytes of an Arrow file. Out: the rows. And back.
//! Spec: Lance, `io/deletion.rs`; Arrow, IPC File Format.
//!
//! Invariant: one batch of one column, `row_id: uint32 not null`, and nothing else; compressed rows go straight into a bitmap, so
//! that a small file cannot take much memory.

use std::io::Read;
use std::sync::Arc;

use arrow_array::{RecordBatch, UInt32Array};
use arrow_ipc::writer::FileWriter;
use arrow_ipc::{CompressionType, MessageHeader, MetadataVersion, Type};
use arrow_schema::{DataType, Field, Schema};
use floeberg_core::{Error, Result};
use roaring::RoaringBitmap;

const COLUMN: &str = "row_id";
const MAGIC: &[u8] = b"ARROW1";
/// Between the parts of a message: no length.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The rows of a file. Errors: `InvalidData`.
pub fn decode(file: &[u8]) -> Result<RoaringBitmap> {
    let footer = footer(file)?;
    let footer = arrow_ipc::root_as_footer(footer)
        .map_err(|error| expected("a footer").caused_by(error.to_string()))?;
    let fields = footer.schema().and_then(|schema| schema.fields());
    let is_known = fields.is_some_and(|fields| {
        fields.len() == 1 && {
            let field = fields.get(0);
            let int = field.type_as_int();
            field.name() == Some(COLUMN)
                && !field.nullable()
                && field.type_type() == Type::Int
                && field.dictionary().is_none()
                && int.is_some_and(|int| int.bitWidth() == 32 && !int.is_signed())
        }
    });
    if !is_known {
        return Err(expected("one column, `row_id: uint32 not null`"));
    }
    let block = match footer.recordBatches() {
        Some(blocks) if blocks.len() == 1 => *blocks.get(0),
        _ => return Err(expected("one batch")),
    };
    let (offset, metadata) = (usize::try_from(block.offset()), usize::try_from(block.metaDataLength()));
    let (Ok(offset), Ok(metadata)) = (offset, metadata) else {
        return Err(expected("a batch inside the file"));
    };
    let rest = file.get(offset..).ok_or_else(|| expected("a batch inside the file"))?;
    let (message, body) =
        rest.split_at_checked(metadata).ok_or_else(|| expected("a batch inside the file"))?;
    let message = match message.strip_prefix(&CONTINUATION) {
        Some(rest) => rest.get(4..),
        None => message.get(4..),
    };
    let message = arrow_ipc::root_as_message(message.unwrap_or_default())
        .map_err(|error| expected("the message of a batch").caused_by(error.to_string()))?;
    if message.header_type() != MessageHeader::RecordBatch {
        return Err(expected("the message of a batch"));
    }
    let batch = message.header_as_record_batch().ok_or_else(|| expected("the message of a batch"))?;
    let values = match (batch.nodes(), batch.buffers()) {
        (Some(nodes), Some(buffers)) if nodes.len() == 1 && buffers.len() == 2 => {
            let node = nodes.get(0);
            if node.null_count() != 0 || node.length() != batch.length() {
                return Err(expected("rows without nulls"));
            }
            *buffers.get(1)
        }
        _ => return Err(expected("one column")),
    };
    let rows = u64::try_from(batch.length()).map_err(|_| expected("a number of rows"))?;
    let start = usize::try_from(values.offset()).ok();
    let end = start.and_then(|start| start.checked_add(usize::try_from(values.length()).ok()?));
    let values = start.zip(end).and_then(|(start, end)| body.get(start..end));
    let values = values.ok_or_else(|| expected("rows inside the file"))?;
    match batch.compression().map(|compression| compression.codec()) {
        None => collect(values, rows),
        // Nothing is compressed of no rows.
        Some(_) if rows == 0 && values.is_empty() => Ok(RoaringBitmap::new()),
        Some(codec) => {
            let (length, packed) =
                values.split_first_chunk::<8>().ok_or_else(|| expected("the length of the rows"))?;
            let length = i64::from_le_bytes(*length);
            if length == -1 {
                return collect(packed, rows);
            }
            if u64::try_from(length).ok() != rows.checked_mul(4) {
                return Err(expected(&format!("{rows} rows of four bytes")));
            }
            match codec {
                CompressionType::LZ4_FRAME => collect(lz4_flex::frame::FrameDecoder::new(packed), rows),
                CompressionType::ZSTD => {
                    let decoder = zstd::stream::read::Decoder::new(packed).map_err(|error| {
                        expected("rows that are compressed by Zstandard").caused_by(error)
                    })?;
                    collect(decoder, rows)
                }
                other => Err(Error::unsupported(format!(
                    "deletion files that are compressed by codec {} cannot be read",
                    other.0
                ))),
            }
        }
    }
}

/// Is a file written as readers of Arrow's library want it, beside what [`decode`] needs? It compares the version of the message with
/// that of the footer, and takes the batch by the lengths that the footer says.
///
/// Errors: `InvalidData`.
pub fn check_header(file: &[u8]) -> Result<()> {
    let footer = arrow_ipc::root_as_footer(footer(file)?)
        .map_err(|error| expected("a footer").caused_by(error.to_string()))?;
    let block = match footer.recordBatches() {
        Some(blocks) if blocks.len() == 1 => *blocks.get(0),
        _ => return Err(expected("one batch")),
    };
    let part = |start: i64, length: i64| {
        let start = usize::try_from(start).ok()?;
        file.get(start..start.checked_add(usize::try_from(length).ok()?)?)
    };
    let metadata = i64::from(block.metaDataLength());
    let message = part(block.offset(), metadata).ok_or_else(|| expected("a batch inside the file"))?;
    let body_starts = block.offset().saturating_add(metadata);
    let body = part(body_starts, block.bodyLength())
        .ok_or_else(|| expected(&format!("a body of {} bytes inside the file", block.bodyLength())))?;
    let message = message.strip_prefix(&CONTINUATION).unwrap_or(message);
    let (said, rest) = message.split_first_chunk::<4>().ok_or_else(|| expected("the length of a message"))?;
    let said = i64::from(i32::from_le_bytes(*said));
    if usize::try_from(said).map_or(true, |said| said > rest.len()) {
        return Err(expected(&format!("a message of at most {} bytes, found the length {said}", rest.len())));
    }
    let message = arrow_ipc::root_as_message(rest)
        .map_err(|error| expected("the message of a batch").caused_by(error.to_string()))?;
    if footer.version() != MetadataVersion::V1 && message.version() != footer.version() {
        return Err(expected(&format!(
            "a message of the version of its footer, {:?}, found {:?}",
            footer.version(),
            message.version()
        )));
    }
    let buffers = message.header_as_record_batch().and_then(|batch| batch.buffers());
    let end = |buffer: &arrow_ipc::Buffer| buffer.offset().checked_add(buffer.length());
    let is_inside = buffers.is_some_and(|buffers| {
        buffers.iter().all(|buffer| {
            end(buffer).and_then(|end| usize::try_from(end).ok()).is_some_and(|end| end <= body.len())
        })
    });
    if is_inside {
        return Ok(());
    }
    Err(expected(&format!("rows within the {} bytes of its body", body.len())))
}

/// The footer's message: before its length and the magic at the end.
fn footer(file: &[u8]) -> Result<&[u8]> {
    let rest = match file.strip_suffix(MAGIC) {
        Some(rest) if cfg!(fuzzing) || file.starts_with(MAGIC) => rest,
        _ => return Err(expected("`ARROW1` at both ends")),
    };
    let (rest, length) = rest.split_last_chunk::<4>().ok_or_else(|| expected("the length of the footer"))?;
    let length = usize::try_from(i32::from_le_bytes(*length)).ok();
    let start = length.and_then(|length| rest.len().checked_sub(length));
    start.and_then(|start| rest.get(start..)).ok_or_else(|| expected("a footer inside the file"))
}

/// Rows as they come, a piece at a time.
fn collect(mut source: impl Read, rows: u64) -> Result<RoaringBitmap> {
    let mut found = RoaringBitmap::new();
    let mut buffer = [0_u8; 16 << 10];
    let mut left = rows;
    while left > 0 {
        let wanted = left.min(buffer.len() as u64 / 4);
        let piece = &mut buffer[..wanted as usize * 4];
        source.read_exact(piece).map_err(|error| expected(&format!("{rows} rows")).caused_by(error))?;
        found.extend(piece.as_chunks::<4>().0.iter().map(|row| u32::from_le_bytes(*row)));
        left -= wanted;
    }
    Ok(found)
}

fn expected(what: &str) -> Error {
    Error::invalid_data(format!("expected an Arrow deletion file with {what}"))
}

/// A file of rows. Errors: `Internal`.
pub fn encode(rows: &RoaringBitmap) -> Result<Vec<u8>> {
    let schema = Arc::new(Schema::new(vec![Field::new(COLUMN, DataType::UInt32, false)]));
    let failed = |error: arrow_schema::ArrowError| {
        Error::internal("an Arrow deletion file could not be written").caused_by(error)
    };
    let column = Arc::new(rows.iter().collect::<UInt32Array>());
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![column]).map_err(failed)?;
    let mut writer = FileWriter::try_new(Vec::new(), &schema).map_err(failed)?;
    writer.write(&batch).map_err(failed)?;
    writer.into_inner().map_err(failed)
}
