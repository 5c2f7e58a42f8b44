//! Rows that one thread encodes.
//!
//! In: some of the rows of a file. Out: their blocks, compressed.
//!
//! Invariant: how rows are cut into runs depends on the rows alone, not on the threads.

use floeberg_avro::write::BlockEncoder;
use floeberg_core::Result;
use floeberg_files::Piece;

use super::column::Column;
use super::layout::AvroLayout;

/// Bytes of a block before compression, as in Iceberg Java.
const BLOCK_BYTES: usize = 64_000;
/// Bytes of rows in memory that are worth a thread. The last block of a run is short, so runs should be long.
const RUN_BYTES: u64 = 2 << 20;

/// The blocks of a run, once they are encoded.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) blocks: Vec<u8>,
}

impl Run {
    /// Encodes rows.
    pub(super) fn encode(&mut self, layout: &AvroLayout, sync: [u8; 16], rows: &[Piece]) -> Result<()> {
        let mut blocks = BlockEncoder::new(layout.compression, sync, BLOCK_BYTES)?;
        let out = &mut self.blocks;
        let mut give = |bytes: &[u8]| {
            out.extend_from_slice(bytes);
            Ok(())
        };
        for piece in rows {
            let columns = Column::all(&layout.fields, &piece.columns)?;
            for row in 0..piece.rows {
                let put = |encoder: &mut _| columns.iter().try_for_each(|column| column.put(encoder, row));
                if blocks.add(put)? {
                    blocks.end(&mut give)?;
                }
            }
        }
        blocks.end(&mut give)
    }
}

/// Cuts rows into runs of about [`RUN_BYTES`].
pub(super) fn runs(rows: &[Piece]) -> Vec<Vec<Piece>> {
    let mut runs = vec![Vec::new()];
    let mut left = RUN_BYTES;
    for piece in rows {
        let row_bytes = (piece.bytes / piece.rows.max(1) as u64).max(1);
        let mut start = 0;
        while start < piece.rows {
            let room = usize::try_from((left / row_bytes).max(1)).unwrap_or(usize::MAX);
            let count = room.min(piece.rows - start);
            if let Some(run) = runs.last_mut() {
                run.push(piece.slice(start, count));
            }
            start += count;
            left = left.saturating_sub(row_bytes.saturating_mul(count as u64));
            if left < row_bytes {
                runs.push(Vec::new());
                left = RUN_BYTES;
            }
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}
