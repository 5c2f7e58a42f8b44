//! What fields does a message of protocol buffers hold?
//!
//! In: the bytes of a message. Out: its fields, in the order in which they are written.
//! Spec: Protocol Buffers, Encoding.
//!
//! Invariant: lengths are checked against the remaining bytes; groups, which ORC does not use, are errors.

use floeberg_core::{Error, Result};

/// The fields of a message. After an error nothing follows.
pub(super) struct Message<'a> {
    left: &'a [u8],
}

/// A field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// A number of variable length.
    Number(u64),
    /// Text, bytes, a message, or packed numbers.
    Bytes(&'a [u8]),
    /// Four or eight bytes, of no use here.
    Fixed,
}

impl<'a> Message<'a> {
    /// A message that fills the bytes.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { left: bytes }
    }

    fn field(&mut self) -> Result<(u32, Value<'a>)> {
        let key = self.number()?;
        let value = match key & 7 {
            0 => Value::Number(self.number()?),
            1 => self.take(8).map(|_| Value::Fixed)?,
            2 => {
                let length = self.number()?;
                Value::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| Value::Fixed)?,
            other => return Err(damaged(&format!("a field of wire type {other}"))),
        };
        let tag = u32::try_from(key >> 3).map_err(|_| damaged("a field with a number above 32 bits"))?;
        Ok((tag, value))
    }

    fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let Some((byte, left)) = self.left.split_first() else {
                return Err(damaged("its end in a number"));
            };
            self.left = left;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(damaged("a number above 64 bits"))
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8]> {
        let taken = usize::try_from(length).ok().and_then(|length| self.left.split_at_checked(length));
        let (taken, left) = taken.ok_or_else(|| {
            damaged(&format!("a field of {length} bytes where {} are left", self.left.len()))
        })?;
        self.left = left;
        Ok(taken)
    }
}

impl<'a> Iterator for Message<'a> {
    type Item = Result<(u32, Value<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.left = &[];
        }
        Some(field)
    }
}

impl<'a> Value<'a> {
    /// As a number.
    pub(super) fn number(self) -> Result<u64> {
        match self {
            Self::Number(number) => Ok(number),
            Self::Bytes(_) | Self::Fixed => Err(damaged("bytes where a number is expected")),
        }
    }

    /// As a number that fits into 32 bits.
    pub(super) fn small(self) -> Result<u32> {
        let number = self.number()?;
        u32::try_from(number).map_err(|_| damaged(&format!("{number}, which is above 32 bits")))
    }

    /// As bytes.
    pub(super) fn bytes(self) -> Result<&'a [u8]> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::Number(_) | Self::Fixed => Err(damaged("a number where bytes are expected")),
        }
    }

    /// As text.
    pub(super) fn text(self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes()?).map_err(|_| damaged("text that is not UTF-8"))
    }

    /// Adds one number, or several that are packed.
    pub(super) fn numbers(self, numbers: &mut Vec<u32>) -> Result<()> {
        let Self::Bytes(bytes) = self else {
            numbers.push(self.small()?);
            return Ok(());
        };
        let mut packed = Message::new(bytes);
        while !packed.left.is_empty() {
            numbers.push(Value::Number(packed.number()?).small()?);
        }
        Ok(())
    }
}

fn damaged(found: &str) -> Error {
    Error::invalid_data(format!("expected a message of an ORC file, found {found}"))
}
