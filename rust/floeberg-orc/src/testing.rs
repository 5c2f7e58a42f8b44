//! How are single parts of a file read?
//!
//! In: the bytes of one part. Out: its content. For tests and fuzzers: nothing here is used by a reader.

use bytes::Bytes;
use floeberg_core::Result;
use floeberg_protobuf::parse;

use crate::bloom::BloomFilter;
use crate::read::rle::{Bits, ByteRuns, Integers};
use crate::read::stream::{Blocks, ByteStream};
use crate::wire::{BloomFilterIndex, Compression, FileMetadata, Footer, Postscript, RowIndex, StripeFooter};

/// A stream without compression.
fn plain(stored: &[u8]) -> ByteStream {
    ByteStream::new(Blocks::new(Bytes::copy_from_slice(stored), Compression::None, stored.len()))
}

/// This many integers of either version of the encoding.
pub fn integers(stored: &[u8], signed: bool, second: bool, count: usize) -> Result<Vec<i64>> {
    Integers::new(plain(stored), signed, second).read(count)
}

/// This many bytes in runs.
pub fn bytes(stored: &[u8], count: usize) -> Result<Vec<u8>> {
    let mut found = Vec::new();
    ByteRuns::new(plain(stored)).append(count, &mut found)?;
    Ok(found)
}

/// This many bits, read in pieces of a length.
pub fn bits(stored: &[u8], count: usize, piece: usize) -> Result<Vec<bool>> {
    let mut bits = Bits::new(plain(stored));
    let mut found = Vec::new();
    while found.len() < count {
        let wanted = piece.max(1).min(count - found.len());
        found.extend(bits.read(wanted)?.iter());
    }
    Ok(found)
}

/// How many bytes a postscript says the footer has.
pub fn postscript(stored: &[u8]) -> Result<u64> {
    Postscript::parse(stored).map(|postscript| postscript.footer_length)
}

/// How many stripes and types a footer lists.
pub fn footer(stored: &[u8]) -> Result<(usize, usize)> {
    Footer::parse(stored).map(|footer| (footer.stripes.len(), footer.types.len()))
}

/// How many streams and encodings the footer of a stripe lists.
pub fn stripe_footer(stored: &[u8]) -> Result<(usize, usize)> {
    StripeFooter::parse(stored).map(|footer| (footer.streams.len(), footer.encodings.len()))
}

/// How many row groups an index of rows has, how many filters one of bloom filters, and how many stripes have statistics.
pub fn indexes(stored: &[u8]) -> Result<(usize, usize, usize)> {
    let rows = parse::<RowIndex>(stored).map_or(0, |index| index.entries.len());
    let filters = parse::<BloomFilterIndex>(stored).map_or(0, |index| {
        let filters = index.filters.iter();
        filters.filter_map(|filter| BloomFilter::of_bytes(filter.hashes, &filter.bits)).count()
    });
    parse::<FileMetadata>(stored).map(|metadata| (rows, filters, metadata.stripes.len()))
}

/// The bytes of a stream before it was compressed, with a codec by its number in the format, at most `limit` bytes.
pub fn inflated(stored: &[u8], codec: u8, block_size: usize, limit: usize) -> Result<Vec<u8>> {
    let codec = match codec {
        1 => Compression::Zlib,
        2 => Compression::Snappy,
        4 => Compression::Lz4,
        5 => Compression::Zstd,
        _ => Compression::None,
    };
    Blocks::new(Bytes::copy_from_slice(stored), codec, block_size).read_all(limit, "the stream")
}
