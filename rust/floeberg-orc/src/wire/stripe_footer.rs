//! Which streams does a stripe have, and how are its columns encoded?
//!
//! Spec: ORC v1, Stripe Footer.
//!
//! Invariant: streams are in the file's order, which places them.

use floeberg_core::{Context as _, Error, Result};
use floeberg_protobuf::{message, parse};

/// The footer of a stripe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StripeFooter {
    /// Its streams, one after the other from the start of the stripe.
    pub(crate) streams: Vec<StreamLocation>,
    /// How each column is encoded.
    pub(crate) encodings: Vec<Encoding>,
    /// The time zone of timestamps without one, if recorded.
    pub(crate) writer_zone: String,
}

message! {
    /// The footer of a stripe as it is written.
    struct StripeFooterMessage {
        streams: Vec<StreamLocation> = 1,
        columns: Vec<ColumnEncoding> = 2,
        writer_zone: String = 3,
    }
}

message! {
    /// A stream.
    #[derive(Copy)]
    pub(crate) struct StreamLocation {
        /// The number of its kind.
        kind: u64 = 1,
        /// The column.
        column: u32 = 2,
        /// Its bytes.
        length: u64 = 3,
    }
}

message! {
    /// How a column is encoded, as it is written.
    struct ColumnEncoding {
        kind: u64 = 1,
        dictionary_size: u32 = 2,
    }
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Encoding {
    /// By a dictionary of this many entries.
    pub(crate) dictionary: Option<u32>,
    /// With the second run-length encoding of integers.
    pub(crate) second: bool,
}

impl StripeFooter {
    /// Reads the footer of a stripe.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self> {
        let written: StripeFooterMessage = parse(bytes).context("message", "StripeFooter")?;
        let encodings = written.columns.iter().map(Encoding::of).collect::<Result<_>>()?;
        Ok(Self { streams: written.streams, encodings, writer_zone: written.writer_zone })
    }
}

impl StreamLocation {
    /// Its kind; `None` if it is not used here.
    pub(crate) fn kind(&self) -> Option<StreamKind> {
        match self.kind {
            0 => Some(StreamKind::Present),
            1 => Some(StreamKind::Data),
            2 => Some(StreamKind::Length),
            3 => Some(StreamKind::Dictionary),
            5 => Some(StreamKind::Secondary),
            _ => None,
        }
    }
}

impl Encoding {
    fn of(written: &ColumnEncoding) -> Result<Self> {
        let entries = written.dictionary_size;
        match written.kind {
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
