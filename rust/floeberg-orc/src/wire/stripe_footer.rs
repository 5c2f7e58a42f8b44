//! Which streams does a stripe have, and how are its columns encoded?
//!
//! Spec: ORC v1, Stripe Footer.
//!
//! Invariant: streams are in the file's order, which places them.

use floeberg_core::{Context as _, Error, Result};
use floeberg_protobuf::{message, parse, to_bytes};

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
        columns: Vec<WrittenEncoding> = 2,
        writer_zone: String = 3,
    }
}

message! {
    /// A stream.
    #[derive(Copy)]
    pub(crate) struct StreamLocation {
        /// The number of its kind. Zero is written too: readers ask whether it is there.
        kind: Option<u64> = 1,
        /// The column.
        column: u32 = 2,
        /// Its bytes.
        length: u64 = 3,
    }
}

message! {
    /// How a column is encoded, as it is written.
    #[derive(Copy)]
    pub(crate) struct WrittenEncoding {
        kind: Option<u64> = 1,
        dictionary_size: u32 = 2,
        bloom_encoding: u32 = 3,
    }
}

/// What a stream of a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// What a stream of a column's index holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum IndexKind {
    /// Where row groups start, and their statistics.
    Rows,
    /// Bloom filters of row groups.
    Bloom,
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

    /// The bytes of a footer.
    pub(crate) fn bytes_of(
        streams: Vec<StreamLocation>,
        columns: Vec<WrittenEncoding>,
        zone: &str,
    ) -> Vec<u8> {
        to_bytes(&StripeFooterMessage { streams, columns, writer_zone: zone.to_owned() })
    }
}

impl StreamLocation {
    /// A stream of values.
    pub(crate) fn of_values(column: u32, kind: StreamKind, length: u64) -> Self {
        let kind = match kind {
            StreamKind::Present => 0,
            StreamKind::Data => 1,
            StreamKind::Length => 2,
            StreamKind::Dictionary => 3,
            StreamKind::Secondary => 5,
        };
        Self { kind: Some(kind), column, length }
    }

    /// A stream of an index.
    pub(crate) fn of_index(column: u32, kind: IndexKind, length: u64) -> Self {
        let kind = match kind {
            IndexKind::Rows => 6,
            IndexKind::Bloom => 8,
        };
        Self { kind: Some(kind), column, length }
    }

    /// Its kind, if it is of an index. Bloom filters of kind 7 depend on the writer, and are not used.
    pub(crate) fn index(&self) -> Option<IndexKind> {
        match self.kind.unwrap_or(0) {
            6 => Some(IndexKind::Rows),
            8 => Some(IndexKind::Bloom),
            _ => None,
        }
    }

    /// Its kind; `None` if it is not used here.
    pub(crate) fn kind(&self) -> Option<StreamKind> {
        match self.kind.unwrap_or(0) {
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
    /// As it is written.
    pub(crate) fn written(self, has_bloom_filter: bool) -> WrittenEncoding {
        let kind = u64::from(self.dictionary.is_some()) | u64::from(self.second) << 1;
        let dictionary_size = self.dictionary.unwrap_or(0);
        WrittenEncoding { kind: Some(kind), dictionary_size, bloom_encoding: u32::from(has_bloom_filter) }
    }

    fn of(written: &WrittenEncoding) -> Result<Self> {
        let entries = written.dictionary_size;
        match written.kind.unwrap_or(0) {
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
