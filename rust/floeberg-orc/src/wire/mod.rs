//! What are the raw structures of a file?
//!
//! Bytes to structures and back: the end of a file, and the footer of a stripe. A message is a table of its fields. No I/O.

mod statistics;
mod footer;
mod postscript;
mod stripe_footer;

pub(crate) use footer::{Footer, OrcType, StripeLocation, TypeKind, UserMetadata};
pub use postscript::Compression;
pub(crate) use postscript::{MAGIC, Postscript, WRITER_VERSION};
pub(crate) use statistics::{
    BinarySum, BloomFilterIndex, BloomFilterMessage, CollectionRange, ColumnStatistics, Counts, DateRange,
    DecimalRange, FileMetadata, FloatRange, IntegerRange, RowIndex, RowIndexEntry, StripeStatistics,
    TextRange, TimestampRange,
};
pub(crate) use stripe_footer::{Encoding, IndexKind, StreamKind, StreamLocation, StripeFooter};
