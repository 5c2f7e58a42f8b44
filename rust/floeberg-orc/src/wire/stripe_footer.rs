//! Which streams does a stripe have, and how are its columns encoded?
//!
//! Spec: ORC v1, Stripe Footer.
//!
//! Invariant: streams are in the file's order, which places them.

use floeberg_core::{Error, Result};

use super::message::Message;

/// The footer of a stripe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StripeFooter {
    /// Its streams, one after the other from the start of the stripe.
    pub(crate) streams: Vec<StreamLocation>,
    /// How each column is encoded.
    pub(crate) encodings: Vec<Encoding>,
    /// The time zone of timestamps without one, if recorded.
    pub(crate) writer_zone: String,
}

/// A stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StreamLocation {
    /// Its kind; `None` if it is not used here.
    pub(crate) kind: Option<StreamKind>,
    /// The column.
    pub(crate) column: u32,
    /// Its bytes.
    pub(crate) length: u64,
}

/// What a stream of a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum StreamKind {
    /// Which rows have a value.
    Present,
    /// The values, or the numbers of a dictionary's entries.
    Data,
    /// The lengths of values.
    Length,
    /// The entries of a dictionary.
    Dictionary,
    /// Nanoseconds, or scales.
    Secondary,
}

/// How a column is encoded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Encoding {
    /// By a dictionary of this many entries.
    pub(crate) dictionary: Option<u32>,
    /// With the second run-length encoding of integers.
    pub(crate) second: bool,
}

impl StripeFooter {
    /// Reads the footer of a stripe.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self> {
        let mut footer = Self::default();
        for field in Message::new(bytes) {
            let (tag, value) = field?;
            match tag {
                1 => footer.streams.push(StreamLocation::parse(value.bytes()?)?),
                2 => footer.encodings.push(Encoding::parse(value.bytes()?)?),
                3 => value.text()?.clone_into(&mut footer.writer_zone),
                _ => {}
            }
        }
        Ok(footer)
    }
}

impl StreamLocation {
    fn parse(bytes: &[u8]) -> Result<Self> {
        let mut stream = Self { kind: None, column: 0, length: 0 };
        let mut kind = 0;
        for field in Message::new(bytes) {
            let (tag, value) = field?;
            match tag {
                1 => kind = value.number()?,
                2 => stream.column = value.small()?,
                3 => stream.length = value.number()?,
                _ => {}
            }
        }
        stream.kind = match kind {
            0 => Some(StreamKind::Present),
            1 => Some(StreamKind::Data),
            2 => Some(StreamKind::Length),
            3 => Some(StreamKind::Dictionary),
            5 => Some(StreamKind::Secondary),
            _ => None,
        };
        Ok(stream)
    }
}

impl Encoding {
    fn parse(bytes: &[u8]) -> Result<Self> {
        let (mut kind, mut entries) = (0, 0);
        for field in Message::new(bytes) {
            let (tag, value) = field?;
            match tag {
                1 => kind = value.number()?,
                2 => entries = value.small()?,
                _ => {}
            }
        }
        match kind {
            0 => Ok(Self { dictionary: None, second: false }),
            1 => Ok(Self { dictionary: Some(entries), second: false }),
            2 => Ok(Self { dictionary: None, second: true }),
            3 => Ok(Self { dictionary: Some(entries), second: true }),
            other => {
                Err(Error::invalid_data(format!("a column of the ORC file has the unknown encoding {other}")))
            }
        }
    }
}
