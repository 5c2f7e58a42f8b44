//! How many rows does an Avro file have?
//!
//! In: an open file. Out: the sum of what its blocks say.
//! Spec: Avro 1.12, Object Container Files.
//!
//! Invariant: every block is found whole, with its sync marker, so that a file that ends early is an error. Nothing is decompressed.

use floeberg_avro::{FRAME_START, Framing};
use floeberg_core::{Context, Error, Result};

use super::open::AvroFile;

/// Bytes per read.
const PIECE: u64 = 4 << 20;

impl AvroFile {
    /// Counts the rows. The whole file is read, since only blocks say how many they have.
    pub(super) fn count_rows(&self) -> Result<i64> {
        self.try_count().context("path", self.source.location())
    }

    fn try_count(&self) -> Result<i64> {
        let (mut rows, mut offset, mut piece) = (0_u64, self.data_start, self.first_bytes.clone());
        while offset < self.size {
            let left = self.size - offset;
            let mut need = (FRAME_START as u64).min(left);
            let frame = loop {
                if (piece.len() as u64) < need {
                    piece = self.source.read(offset..offset + need.max(PIECE).min(left))?;
                }
                match self.form.frame(&piece, left)? {
                    Framing::Whole(frame) => break frame,
                    Framing::Needs(bytes) => need = bytes as u64,
                }
            };
            rows = rows.saturating_add(frame.rows);
            offset += frame.length as u64;
            piece = piece.slice(frame.length..);
        }
        i64::try_from(rows).map_err(|_| Error::invalid_data(format!("the Avro file claims {rows} rows")))
    }
}
