//! The bytes of a stream that is being written, and the places in it.
//!
//! ```text
//! blocks that are full, stored | bytes that wait for their block to be full
//! ```
//!
//! Spec: ORC v1, Compression, Indexes.
//!
//! Invariant: every block but the last has the same length before compression, so a place is known by its bytes before
//! compression, and becomes one in the stored stream once all blocks are stored.

use floeberg_core::Result;

use super::compress::Compressor;

/// The bytes of a block before compression, as in the reference writer.
pub(super) const BLOCK_SIZE: usize = 256 << 10;

/// A stream that is being written.
#[derive(Debug, Default)]
pub(super) struct Output {
    stored: Vec<u8>,
    /// Where each stored block starts.
    starts: Vec<u64>,
    waiting: Vec<u8>,
}

/// A place in a stream, between two runs: the bytes before it, and the bits of the byte that was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// Bytes before compression.
    pub(super) bytes: u64,
    /// How places within it are said.
    pub(super) form: Form,
}

/// What a position in a stream says after its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Nothing.
    Bytes,
    /// The values of a run before it: none, since runs end with row groups.
    Runs,
    /// Bytes of a run before it, and bits of a byte.
    Bits(u8),
}

impl Output {
    /// The bytes that wait, to append to.
    #[inline]
    pub(super) fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.waiting
    }

    /// About how many bytes it takes.
    pub(super) fn size(&self) -> u64 {
        (self.stored.len() + self.waiting.len()) as u64
    }

    /// The bytes so far, before compression.
    fn length(&self) -> u64 {
        (self.starts.len() * BLOCK_SIZE + self.waiting.len()) as u64
    }

    /// The end of what was appended.
    pub(super) fn end(&self, form: Form) -> Place {
        Place { bytes: self.length(), form }
    }

    /// Stores the blocks that are full.
    pub(super) fn pack(&mut self, compressor: &mut Compressor) -> Result<()> {
        if compressor.is_plain() || self.waiting.len() < BLOCK_SIZE {
            return Ok(());
        }
        let full = self.waiting.len() / BLOCK_SIZE * BLOCK_SIZE;
        for block in self.waiting[..full].chunks(BLOCK_SIZE) {
            self.starts.push(self.stored.len() as u64);
            compressor.append(block, &mut self.stored)?;
        }
        self.waiting.drain(..full);
        Ok(())
    }

    /// Stores the rest.
    pub(super) fn finish(&mut self, compressor: &mut Compressor) -> Result<()> {
        if compressor.is_plain() {
            return Ok(());
        }
        self.pack(compressor)?;
        self.starts.push(self.stored.len() as u64);
        if !self.waiting.is_empty() {
            compressor.append(&self.waiting, &mut self.stored)?;
            self.waiting.clear();
            self.starts.push(self.stored.len() as u64);
        }
        Ok(())
    }

    /// Adds the numbers that say a place. The stream must be finished.
    pub(super) fn positions(&self, place: Place, is_plain: bool, out: &mut Vec<u64>) {
        if is_plain {
            out.push(place.bytes);
        } else {
            let block = (place.bytes / BLOCK_SIZE as u64) as usize;
            out.push(self.starts.get(block).copied().unwrap_or(self.stored.len() as u64));
            out.push(place.bytes % BLOCK_SIZE as u64);
        }
        match place.form {
            Form::Bytes => {}
            Form::Runs => out.push(0),
            Form::Bits(bits) => out.extend([0, u64::from(bits)]),
        }
    }

    /// The bytes that stand in the file.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        // Without compression, nothing was stored.
        if self.stored.is_empty() { self.waiting } else { self.stored }
    }
}
