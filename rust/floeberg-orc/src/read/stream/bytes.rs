//! A stream, read from its start.
//!
//! Invariant: a premature end is an error; memory grows with the bytes that were read, never by a claimed
//! size.

use floeberg_core::{Error, Result};

use super::Blocks;

/// The bytes of a stream, in order.
pub(crate) struct ByteStream {
    blocks: Blocks,
    /// How much of the current block was read.
    read: usize,
}

impl ByteStream {
    pub(crate) fn new(blocks: Blocks) -> Self {
        Self { blocks, read: 0 }
    }

    /// The next byte.
    pub(crate) fn byte(&mut self) -> Result<u8> {
        loop {
            if let Some(byte) = self.blocks.current().get(self.read) {
                self.read += 1;
                return Ok(*byte);
            }
            self.advance()?;
        }
    }

    /// Fills a slice.
    pub(crate) fn fill(&mut self, mut out: &mut [u8]) -> Result<()> {
        while !out.is_empty() {
            let left = self.left()?;
            let length = left.len().min(out.len());
            let (filled, rest) = out.split_at_mut(length);
            filled.copy_from_slice(&left[..length]);
            out = rest;
            self.read += length;
        }
        Ok(())
    }

    /// Appends this many bytes.
    pub(crate) fn append(&mut self, length: usize, out: &mut Vec<u8>) -> Result<()> {
        let mut wanted = length;
        while wanted > 0 {
            let left = self.left()?;
            let length = left.len().min(wanted);
            out.extend_from_slice(&left[..length]);
            wanted -= length;
            self.read += length;
        }
        Ok(())
    }

    /// Passes over this many bytes.
    pub(crate) fn skip(&mut self, mut length: u64) -> Result<()> {
        while length > 0 {
            let passed = (self.left()?.len() as u64).min(length);
            self.read += passed as usize;
            length -= passed;
        }
        Ok(())
    }

    /// A number in groups of seven bits, the lowest first.
    pub(crate) fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Error::invalid_data("an integer of the ORC file is longer than 64 bits"))
    }

    /// A signed number, whose lowest bit is its sign.
    pub(crate) fn signed(&mut self) -> Result<i64> {
        self.number().map(unzigzag)
    }

    /// A signed number of up to 128 bits.
    pub(crate) fn wide(&mut self) -> Result<i128> {
        let mut number = 0_u128;
        for shift in (0..128).step_by(7) {
            let byte = self.byte()?;
            number |= u128::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok((number >> 1) as i128 ^ -((number & 1) as i128));
            }
        }
        Err(Error::invalid_data("a decimal of the ORC file is longer than 128 bits"))
    }

    /// What is left of the current block, or the next.
    fn left(&mut self) -> Result<&[u8]> {
        while self.read == self.blocks.current().len() {
            self.advance()?;
        }
        Ok(&self.blocks.current()[self.read..])
    }

    fn advance(&mut self) -> Result<()> {
        self.read = 0;
        match self.blocks.advance() {
            Ok(true) => Ok(()),
            Ok(false) => Err(Error::invalid_data("a stream of the ORC file ends before its last value")),
            Err(error) => Err(error),
        }
    }
}

/// The signed number of an unsigned one, whose lowest bit is the sign.
pub(crate) fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}
