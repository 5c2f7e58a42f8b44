//! What is the next value in these bytes?
//!
//! In: a decompressed block or a header. Out: Avro primitives, one after the other.
//! Spec: Avro 1.12, Binary Encoding.
//!
//! Invariant: never reads past the end, never allocates; an error says the offset and what was expected there.

use floeberg_core::{Error, Result};

/// A position in a slice of bytes.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
}

/// The header of one block of an array or a map.
pub(crate) struct ItemBlock {
    /// How many items follow; 0 ends the array.
    pub(crate) count: u64,
    /// How many bytes they take, where the writer says so.
    pub(crate) size: Option<usize>,
}

const TOP_BITS: u64 = 0x8080_8080_8080_8080;

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    pub(crate) fn at(bytes: &'a [u8], position: usize) -> Self {
        Self { bytes, position }
    }

    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// The bytes since a position that it was at.
    #[inline]
    pub(crate) fn since(&self, start: usize) -> &'a [u8] {
        self.bytes.get(start..self.position).unwrap_or_default()
    }

    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.position
    }

    /// The error of an unexpected value at the current offset.
    #[cold]
    pub(crate) fn error(&self, expected: &str) -> Error {
        let position = self.position;
        Error::invalid_data(format!("Avro data at offset {position}: expected {expected}"))
    }

    #[cold]
    fn truncated(&self, wanted: usize, what: &str) -> Error {
        let left = self.remaining();
        self.error(&format!("{what} of {wanted} bytes, found {left} bytes to the end"))
    }

    /// That many bytes.
    #[inline]
    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let rest = &self.bytes[self.position..];
        let Some(taken) = rest.get(..length) else { return Err(self.truncated(length, "a value")) };
        self.position += length;
        Ok(taken)
    }

    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let Some(taken) = self.bytes[self.position..].first_chunk::<N>() else {
            return Err(self.truncated(N, "a value"));
        };
        self.position += N;
        Ok(*taken)
    }

    /// `int` and `long`: zig-zag, seven bits a byte, lowest first.
    #[inline]
    pub(crate) fn long(&mut self) -> Result<i64> {
        match self.bytes.get(self.position) {
            Some(&byte) if byte < 0x80 => {
                self.position += 1;
                Ok(zig_zag(u64::from(byte)))
            }
            _ => self.long_of_many_bytes(),
        }
    }

    fn long_of_many_bytes(&mut self) -> Result<i64> {
        let mut value = 0_u64;
        for (index, &byte) in self.bytes[self.position..].iter().take(10).enumerate() {
            value |= u64::from(byte & 0x7f) << (7 * index);
            if byte < 0x80 {
                if index == 9 && byte > 1 {
                    return Err(self.error("a long of at most 64 bits"));
                }
                self.position += index + 1;
                return Ok(zig_zag(value));
            }
        }
        Err(self.error("a long of at most 10 bytes, found a longer one"))
    }

    #[inline]
    pub(crate) fn int(&mut self) -> Result<i32> {
        let start = self.position;
        let value = self.long()?;
        i32::try_from(value)
            .map_err(|_| Cursor::at(self.bytes, start).error(&format!("an int of 32 bits, found {value}")))
    }

    #[inline]
    pub(crate) fn boolean(&mut self) -> Result<bool> {
        match self.bytes.get(self.position) {
            Some(0) => {
                self.position += 1;
                Ok(false)
            }
            Some(1) => {
                self.position += 1;
                Ok(true)
            }
            Some(other) => Err(self.error(&format!("a boolean of 0 or 1, found {other}"))),
            None => Err(self.truncated(1, "a boolean")),
        }
    }

    /// `bytes` and `string`: the length, then as many bytes.
    #[inline]
    pub(crate) fn prefixed(&mut self) -> Result<&'a [u8]> {
        let start = self.position;
        let length = self.long()?;
        match usize::try_from(length).ok().filter(|&length| length <= self.remaining()) {
            Some(length) => self.take(length),
            None => Err(Cursor::at(self.bytes, start).error(&format!(
                "a length of at most {} (the bytes left), found {length}",
                self.remaining()
            ))),
        }
    }

    /// The header of the next block of an array or a map.
    #[inline]
    pub(crate) fn item_block(&mut self) -> Result<ItemBlock> {
        let start = self.position;
        let count = self.long()?;
        if count >= 0 {
            return Ok(ItemBlock { count: count as u64, size: None });
        }
        let size = self.long()?;
        match usize::try_from(size).ok().filter(|&size| size <= self.remaining()) {
            Some(size) => Ok(ItemBlock { count: count.unsigned_abs(), size: Some(size) }),
            None => Err(Cursor::at(self.bytes, start).error(&format!(
                "a block of at most {} bytes (the bytes left), found {size}",
                self.remaining()
            ))),
        }
    }

    /// Refuses a block of items that does not end where its size says: a reader that skips it would continue elsewhere.
    #[inline]
    pub(crate) fn check_size(&self, start: usize, block: &ItemBlock) -> Result<()> {
        match block.size {
            Some(size) if self.position - start != size => Err(Cursor::at(self.bytes, start)
                .error(&format!("a block of {size} bytes, found items that take {}", self.position - start))),
            _ => Ok(()),
        }
    }

    /// Walks past that many bytes.
    #[inline]
    pub(crate) fn skip(&mut self, length: usize) -> Result<()> {
        self.take(length).map(|_| ())
    }

    /// Walks past one `int` or `long`.
    #[inline]
    pub(crate) fn skip_varint(&mut self) -> Result<()> {
        match self.bytes.get(self.position) {
            Some(&byte) if byte < 0x80 => {
                self.position += 1;
                Ok(())
            }
            _ => self.long_of_many_bytes().map(|_| ()),
        }
    }

    /// Walks past that many `int`s and `long`s, eight bytes at a step: each ends at a byte without its top bit.
    ///
    /// Skipped numbers are not checked to fit into 64 bits, only to end.
    #[inline]
    pub(crate) fn skip_varints(&mut self, mut count: u64) -> Result<()> {
        let mut unended = 0;
        while count > 0 {
            let Some(word) = self.bytes[self.position..].first_chunk::<8>() else {
                return self.skip_last_varints(count);
            };
            let mut ends = !u64::from_le_bytes(*word) & TOP_BITS;
            let ended = u64::from(ends.count_ones());
            if ended < count {
                unended = if ended == 0 { unended + 8 } else { 0 };
                if unended > 16 {
                    return Err(self.error("a long of at most 10 bytes, found a longer one"));
                }
                count -= ended;
                self.position += 8;
                continue;
            }
            for _ in 1..count {
                ends &= ends - 1;
            }
            self.position += ends.trailing_zeros() as usize / 8 + 1;
            count = 0;
        }
        Ok(())
    }

    /// Walks past that many pairs of a number and prefixed bytes: a key and a bound.
    #[inline]
    pub(crate) fn skip_keyed_bytes(&mut self, count: u64) -> Result<()> {
        for _ in 0..count {
            let rest = &self.bytes[self.position..];
            // A key below 64, then an even length below 128, which is twice the bytes.
            if let [key, length, ..] = *rest
                && key < 0x80
                && length & 0x81 == 0
                && 2 + usize::from(length >> 1) <= rest.len()
            {
                self.position += 2 + usize::from(length >> 1);
                continue;
            }
            self.skip_varint()?;
            self.prefixed()?;
        }
        Ok(())
    }

    fn skip_last_varints(&mut self, mut count: u64) -> Result<()> {
        while count > 0 {
            let Some(&byte) = self.bytes.get(self.position) else {
                return Err(self.error("a long, found the end"));
            };
            count -= u64::from(byte < 0x80);
            self.position += 1;
        }
        Ok(())
    }
}

#[inline]
fn zig_zag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}
