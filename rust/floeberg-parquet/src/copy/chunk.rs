//! Can a column chunk be copied as bytes, and what is written of it elsewhere?
//!
//! In: a column chunk of a file, with its page index. Out: its bytes, and its description for another file.
//! Spec: Appendix A, Parquet (column chunks, page indexes and bloom filters are Parquet's own).
//!
//! Invariant: a chunk whose statistics could not be trusted in its own file, or that has no offset index, is not copied: another file
//! would say them anew. Its pages fill it to its last byte.

use std::ops::Range;
use std::sync::Arc;

use floeberg_core::Result;
use parquet::basic::{ColumnOrder, Compression, SortOrder, Type as Physical};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::page_index::offset_index::OffsetIndexMetaData;
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnDescPtr;

use crate::read::{ParquetFile, fence};

/// Bytes are compared as such.
const BYTES: ColumnOrder = ColumnOrder::TYPE_DEFINED_ORDER(SortOrder::UNSIGNED);

/// What a layout asks of the chunks of a column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// The order of bounds that another file says.
    pub order: ColumnOrder,
    /// The codec, with any level.
    pub codec: Compression,
    /// Does a property ask for a bloom filter?
    pub needs_bloom_filter: bool,
    /// Does a null mean something else in another file?
    pub needs_values: bool,
}

/// Can a chunk be copied?
pub(super) fn can_be_copied(file: &ParquetFile, group: usize, leaf: usize, wanted: Wanted) -> bool {
    let metadata = file.metadata();
    let chunk = metadata.row_group(group).column(leaf);
    let has_codec = std::mem::discriminant(&chunk.compression()) == std::mem::discriminant(&wanted.codec);
    has_codec
        && (!wanted.needs_bloom_filter || chunk.bloom_filter_offset().is_some())
        && has_statistics(file, chunk, leaf, wanted)
        && bytes_of(chunk).is_some_and(|bytes| are_filled(file, group, leaf, &bytes))
}

/// Has it bounds and counts that can be trusted?
fn has_statistics(file: &ParquetFile, chunk: &ColumnChunkMetaData, leaf: usize, wanted: Wanted) -> bool {
    let Some(statistics) = chunk.statistics() else { return false };
    let Some(nulls) = statistics.null_count_opt() else { return false };
    if wanted.needs_values && nulls > 0 {
        return false;
    }
    let values = u64::try_from(chunk.num_values()).unwrap_or(u64::MAX);
    if nulls > values || !are_in_order(statistics, wanted.order) {
        return false;
    }
    if nulls == values {
        return true;
    }
    // NaNs are counted for metrics.
    let is_float = matches!(chunk.column_type(), Physical::FLOAT | Physical::DOUBLE);
    let has_bounds = statistics.min_bytes_opt().is_some() && statistics.max_bytes_opt().is_some();
    has_bounds
        && !statistics.is_min_max_deprecated()
        && file.metadata().file_metadata().column_order(leaf) == wanted.order
        && (!is_float || statistics.nan_count_opt().is_some())
}

/// Is the lower bound not above the upper one? Of decimals in bytes that is not looked at.
fn are_in_order(statistics: &Statistics, order: ColumnOrder) -> bool {
    fn ordered<T: PartialOrd>(lower: Option<&T>, upper: Option<&T>) -> bool {
        lower.zip(upper).is_none_or(|(lower, upper)| lower <= upper)
    }
    match statistics {
        Statistics::Boolean(of) => ordered(of.min_opt(), of.max_opt()),
        Statistics::Int32(of) => ordered(of.min_opt(), of.max_opt()),
        Statistics::Int64(of) => ordered(of.min_opt(), of.max_opt()),
        Statistics::Float(of) => {
            of.min_opt().is_none_or(|lower| lower.is_nan()) || ordered(of.min_opt(), of.max_opt())
        }
        Statistics::Double(of) => {
            of.min_opt().is_none_or(|lower| lower.is_nan()) || ordered(of.min_opt(), of.max_opt())
        }
        Statistics::ByteArray(_) | Statistics::FixedLenByteArray(_) if order == BYTES => {
            ordered(statistics.min_bytes_opt().as_ref(), statistics.max_bytes_opt().as_ref())
        }
        Statistics::ByteArray(_) | Statistics::FixedLenByteArray(_) | Statistics::Int96(_) => true,
    }
}

/// Do its pages lie in it one after another, up to its end?
fn are_filled(file: &ParquetFile, group: usize, leaf: usize, bytes: &Range<u64>) -> bool {
    let pages = file.metadata().page_index().and_then(|index| index.offset_index(group, leaf));
    let Some(pages) = pages.map(OffsetIndexMetaData::page_locations) else { return false };
    let mut end = None;
    for page in pages {
        let (Ok(start), Ok(length)) = (u64::try_from(page.offset), u64::try_from(page.compressed_page_size))
        else {
            return false;
        };
        let is_next = end.map_or(start >= bytes.start, |end| start == end);
        if !is_next {
            return false;
        }
        end = start.checked_add(length);
    }
    end == Some(bytes.end)
}

/// Where it lies in its file.
pub(super) fn bytes_of(chunk: &ColumnChunkMetaData) -> Option<Range<u64>> {
    let data = chunk.data_page_offset();
    let start = match chunk.dictionary_page_offset() {
        Some(dictionary) if dictionary >= data => return None,
        Some(dictionary) => dictionary,
        None => data,
    };
    // The file begins with its magic.
    let start = u64::try_from(start).ok().filter(|start| *start >= 4)?;
    let length = u64::try_from(chunk.compressed_size()).ok().filter(|length| *length > 0)?;
    Some(start..start.checked_add(length)?)
}

/// What another file says of a chunk, as of a chunk of this column. Offsets are those in its bytes.
///
/// Errors: those of the store; `InvalidData` for a chunk that cannot be described.
pub(super) fn describe(
    file: &ParquetFile,
    group: usize,
    leaf: usize,
    column: &ColumnDescPtr,
) -> Result<ColumnCloseResult> {
    let metadata = file.metadata();
    let of_group = metadata.row_group(group);
    let chunk = of_group.column(leaf);
    let range = bytes_of(chunk).unwrap_or_default();
    let bloom_filter = file.bloom_filter(chunk)?;
    let index = metadata.page_index();
    fence(file.location(), || {
        let start = range.start as i64;
        let mut offset_index = index.and_then(|index| index.offset_index(group, leaf)).cloned();
        for page in offset_index.iter_mut().flat_map(|index| &mut index.page_locations) {
            page.offset -= start;
        }
        Ok::<_, ParquetError>(ColumnCloseResult {
            bytes_written: range.end - range.start,
            rows_written: u64::try_from(of_group.num_rows()).unwrap_or(0),
            metadata: moved(chunk, start, column)?,
            bloom_filter,
            column_index: index.and_then(|index| index.column_index(group, leaf)).cloned(),
            offset_index,
        })
    })
}

/// The description of a chunk, as one of this column, with offsets from the start of its bytes.
fn moved(
    chunk: &ColumnChunkMetaData,
    start: i64,
    column: &ColumnDescPtr,
) -> Result<ColumnChunkMetaData, ParquetError> {
    let mut moved = ColumnChunkMetaData::builder(Arc::clone(column))
        .set_compression_codec(chunk.compression_codec())
        .set_encodings_mask(*chunk.encodings_mask())
        .set_total_compressed_size(chunk.compressed_size())
        .set_total_uncompressed_size(chunk.uncompressed_size())
        .set_num_values(chunk.num_values())
        .set_data_page_offset(chunk.data_page_offset() - start)
        .set_dictionary_page_offset(chunk.dictionary_page_offset().map(|offset| offset - start))
        .set_unencoded_byte_array_data_bytes(chunk.unencoded_byte_array_data_bytes())
        .set_repetition_level_histogram(chunk.repetition_level_histogram().cloned())
        .set_definition_level_histogram(chunk.definition_level_histogram().cloned());
    if let Some(statistics) = chunk.statistics() {
        moved = moved.set_statistics(statistics.clone());
    }
    if let Some(statistics) = chunk.geo_statistics() {
        moved = moved.set_geo_statistics(Box::new(statistics.clone()));
    }
    if let Some(encodings) = chunk.page_encoding_stats() {
        moved = moved.set_page_encoding_stats(encodings.clone());
    }
    moved.build()
}
