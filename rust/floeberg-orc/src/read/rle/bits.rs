//! Bits, the highest of a byte first.
//!
//! Spec: ORC v1, Boolean Run Length Encoding.

use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use floeberg_core::Result;

use super::ByteRuns;
use crate::read::stream::ByteStream;

/// Bits, in order.
pub(crate) struct Bits {
    bytes: ByteRuns,
    /// The byte that was begun, turned so that its next bit is the lowest.
    begun: u8,
    /// How many of its bits are left.
    left: usize,
    scratch: Vec<u8>,
}

impl Bits {
    /// Of a stream.
    pub(crate) fn new(stream: ByteStream) -> Self {
        Self::of_runs(ByteRuns::new(stream))
    }

    /// Of the bytes that they are in.
    pub(crate) fn of_runs(bytes: ByteRuns) -> Self {
        Self { bytes, begun: 0, left: 0, scratch: Vec::new() }
    }

    /// The next bits.
    pub(crate) fn read(&mut self, count: usize) -> Result<BooleanBuffer> {
        let old = self.left.min(count);
        let fresh = count - old;
        self.scratch.clear();
        self.bytes.append(fresh.div_ceil(8), &mut self.scratch)?;
        for byte in &mut self.scratch {
            *byte = byte.reverse_bits();
        }
        let mut bits = BooleanBufferBuilder::new(count);
        bits.append_packed_range(0..old, &[self.begun]);
        bits.append_packed_range(0..fresh, &self.scratch);
        if fresh > 0 {
            let used = fresh % 8;
            self.left = (8 - used) % 8;
            self.begun = self.scratch.last().map_or(0, |last| if used == 0 { 0 } else { last >> used });
        } else {
            self.left -= old;
            self.begun = self.begun.checked_shr(old as u32).unwrap_or(0);
        }
        Ok(bits.finish())
    }
}
