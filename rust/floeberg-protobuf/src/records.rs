//! What fields does a message hold?
//!
//! In: the bytes of a message. Out: its fields, in the order in which they are written, each with the bytes it takes.
//! Spec: Protocol Buffers, Encoding, Message Structure.
//!
//! Invariant: lengths are checked against the remaining bytes. Groups, which no format here uses, are errors.

use std::ops::Range;

use floeberg_core::{Error, Result};

/// The fields of a message. After an error nothing follows.
#[derive(Debug, Clone)]
pub struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// A field, and where it lies in its message.
#[derive(Debug, Clone)]
pub struct Record<'a> {
    /// The number of the field.
    pub number: u32,
    /// What it holds.
    pub value: Value<'a>,
    /// Where key and value lie in the message.
    pub span: Range<usize>,
    message: &'a [u8],
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// A number of variable length.
    Number(u64),
    /// Text, bytes, a message, or packed numbers.
    Bytes(&'a [u8]),
    /// Eight bytes: a float of double precision.
    Eight([u8; 8]),
    /// Four bytes, which no message here uses.
    Fixed,
}

impl<'a> Records<'a> {
    /// Those of a message that fills the bytes.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next field; `None` at the end. Errors: `InvalidData`.
    #[inline]
    pub fn record(&mut self) -> Result<Option<Record<'a>>> {
        let start = self.at;
        if start == self.bytes.len() {
            return Ok(None);
        }
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Value::Number(self.varint()?),
            1 => Value::Eight(self.take(8)?.try_into().unwrap_or_default()),
            2 => {
                let length = self.varint()?;
                Value::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| Value::Fixed)?,
            other => return Err(damaged(&format!("a field of wire type {other}"))),
        };
        let number = u32::try_from(key >> 3).map_err(|_| damaged("a field with a number above 32 bits"))?;
        if number == 0 {
            return Err(damaged("a field with the number 0"));
        }
        Ok(Some(Record { number, value, span: start..self.at, message: self.bytes }))
    }

    #[inline]
    fn varint(&mut self) -> Result<u64> {
        // Keys, lengths and most numbers are one byte.
        match self.bytes.get(self.at) {
            Some(byte) if byte & 0x80 == 0 => {
                self.at += 1;
                Ok(u64::from(*byte))
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Result<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let Some(byte) = self.bytes.get(self.at) else {
                return Err(damaged("its end in a number"));
            };
            self.at += 1;
            // The tenth byte has room for one bit.
            if shift == 63 && *byte > 1 {
                break;
            }
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(damaged("a number above 64 bits"))
    }

    #[inline]
    fn take(&mut self, length: u64) -> Result<&'a [u8]> {
        let left = self.bytes.len() - self.at;
        let Some(length) = usize::try_from(length).ok().filter(|length| *length <= left) else {
            return Err(damaged(&format!("a field of {length} bytes where {left} are left")));
        };
        let taken = &self.bytes[self.at..self.at + length];
        self.at += length;
        Ok(taken)
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let record = self.record().transpose()?;
        if record.is_err() {
            self.at = self.bytes.len();
        }
        Some(record)
    }
}

impl<'a> Record<'a> {
    /// The bytes of key and value.
    pub fn bytes(&self) -> &'a [u8] {
        &self.message[self.span.clone()]
    }
}

impl<'a> Value<'a> {
    /// As a number.
    #[inline]
    pub fn number(self) -> Result<u64> {
        match self {
            Self::Number(number) => Ok(number),
            Self::Bytes(_) | Self::Eight(_) | Self::Fixed => Err(damaged("bytes where a number is expected")),
        }
    }

    /// As a number that fits into 32 bits.
    #[inline]
    pub fn small(self) -> Result<u32> {
        let number = self.number()?;
        u32::try_from(number).map_err(|_| damaged(&format!("{number}, which is above 32 bits")))
    }

    /// As a signed number of 32 bits, whose negative form is written with the sign in all 64.
    #[inline]
    pub fn signed(self) -> Result<i32> {
        let number = self.number()? as i64;
        i32::try_from(number).map_err(|_| damaged(&format!("{number}, which is not of 32 bits")))
    }

    /// As a float.
    pub fn float(self) -> Result<f64> {
        match self {
            Self::Eight(bytes) => Ok(f64::from_le_bytes(bytes)),
            _ => Err(damaged("another value where a float is expected")),
        }
    }

    /// As bytes.
    #[inline]
    pub fn bytes(self) -> Result<&'a [u8]> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::Number(_) | Self::Eight(_) | Self::Fixed => {
                Err(damaged("a number where bytes are expected"))
            }
        }
    }

    /// As text.
    pub fn text(self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes()?).map_err(|_| damaged("text that is not UTF-8"))
    }

    /// Adds one number, or several that are packed.
    pub fn numbers<T>(self, numbers: &mut Vec<T>, one: impl Fn(Self) -> Result<T>) -> Result<()> {
        let Self::Bytes(bytes) = self else {
            numbers.push(one(self)?);
            return Ok(());
        };
        let mut packed = Records::new(bytes);
        while packed.at < bytes.len() {
            numbers.push(one(Self::Number(packed.varint()?))?);
        }
        Ok(())
    }
}

/// The error of bytes that are not what a message may hold.
pub fn damaged(found: &str) -> Error {
    Error::invalid_data(format!("expected a message of protocol buffers, found {found}"))
}
