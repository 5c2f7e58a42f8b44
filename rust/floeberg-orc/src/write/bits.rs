//! Bits, the highest of a byte first, and bytes in runs.
//!
//! Spec: ORC v1, Byte Run Length Encoding, Boolean Run Length Encoding.
//!
//! Invariant: the reader's `Bits` read them back. A byte that was begun when a row group ends goes on in the next.

use arrow_buffer::BooleanBuffer;

use super::stream::{Form, Output, Place};

/// The shortest run of equal bytes.
const SHORTEST: usize = 3;
/// The longest run of equal bytes.
const LONGEST: usize = 130;
/// The longest list of other bytes.
const LIST: usize = 128;

/// Bits that are being written.
#[derive(Debug, Default)]
pub(super) struct Bits {
    pub(super) output: Output,
    waiting: Vec<u8>,
    /// The byte that was begun, and how many of its bits are taken.
    begun: u8,
    taken: u32,
}

impl Bits {
    /// Appends bits.
    pub(super) fn extend(&mut self, bits: &BooleanBuffer) {
        let chunks = bits.bit_chunks();
        for chunk in &chunks {
            for byte in chunk.to_le_bytes() {
                self.push(byte, 8);
            }
        }
        let (mut rest, mut left) = (chunks.remainder_bits(), chunks.remainder_len() as u32);
        while left > 0 {
            let count = left.min(8);
            self.push(rest as u8, count);
            rest >>= count;
            left -= count;
        }
    }

    /// Appends set bits.
    pub(super) fn extend_set(&mut self, count: usize) {
        for _ in 0..count / 8 {
            self.push(u8::MAX, 8);
        }
        let rest = (count % 8) as u32;
        if rest > 0 {
            self.push((1 << rest) - 1, rest);
        }
    }

    /// Appends up to eight bits, the lowest first. Those above them are zero.
    fn push(&mut self, bits: u8, count: u32) {
        let turned = bits.reverse_bits();
        self.begun |= turned >> self.taken;
        let end = self.taken + count;
        if end >= 8 {
            self.waiting.push(self.begun);
            self.begun = turned.checked_shl(8 - self.taken).unwrap_or(0);
            self.taken = end - 8;
        } else {
            self.taken = end;
        }
    }

    /// Ends the run that was begun; bits of an incomplete byte stay.
    pub(super) fn end_runs(&mut self) {
        encode(&self.waiting, self.output.bytes());
        self.waiting.clear();
    }

    /// Ends the stream, with an incomplete byte filled up.
    pub(super) fn finish(&mut self) {
        if self.taken > 0 {
            self.waiting.push(self.begun);
            (self.begun, self.taken) = (0, 0);
        }
        self.end_runs();
    }

    /// The end of the runs so far.
    pub(super) fn end(&self) -> Place {
        self.output.end(Form::Bits(self.taken as u8))
    }

    /// About how many bytes it takes.
    pub(super) fn size(&self) -> u64 {
        self.output.size() + self.waiting.len() as u64 / 4
    }
}

/// Appends bytes as runs and lists.
fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    let (mut start, mut at) = (0, 0);
    while at < bytes.len() {
        let byte = bytes[at];
        let equal = bytes[at..].iter().take(LONGEST).take_while(|other| **other == byte).count();
        if equal >= SHORTEST {
            lists(&bytes[start..at], out);
            out.extend([(equal - SHORTEST) as u8, byte]);
            start = at + equal;
        }
        at += equal;
    }
    lists(&bytes[start..], out);
}

fn lists(bytes: &[u8], out: &mut Vec<u8>) {
    for list in bytes.chunks(LIST) {
        out.push((0x100 - list.len()) as u8);
        out.extend_from_slice(list);
    }
}
