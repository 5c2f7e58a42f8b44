//! How do columns become stripes, and stripes a file?
//!
//! ```text
//! ORC | stripe: indexes, data, footer | stripe | ... | statistics of stripes | footer | postscript | its length
//! ```
//!
//! Spec: ORC v1, File Structure, Stripes, Indexes.
//!
//! Invariant: bytes are given in the order in which they stand; offsets are those of the bytes that were given before.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::ArrayRef;
use floeberg_core::schema::{Field, Type};
use floeberg_core::value::Value;
use floeberg_core::{Error, Result};
use floeberg_protobuf::to_bytes;

use super::column::{ColumnWriter, Ended};
use super::compress::{Codec, Compressor};
use super::ends::ends_of;
use super::shape::{Column, Types};
use super::statistics::{Range, Statistics};
use super::stream::BLOCK_SIZE;
use crate::bloom::BloomFilter;
use crate::wire::{
    BloomFilterIndex, BloomFilterMessage, ColumnStatistics, Encoding, FileMetadata, Footer, IndexKind, MAGIC,
    Postscript, RowIndex, RowIndexEntry, StreamLocation, StripeFooter, StripeLocation, StripeStatistics,
    UserMetadata, WRITER_VERSION,
};

/// The rows of a row group, as in the reference writer.
pub const ROW_GROUP: usize = 10_000;
/// The zone in which plain timestamps are counted.
const ZONE: &str = "UTC";
/// What readers that do not know this writer take it for: an unknown one.
const WRITER: u32 = i32::MAX as u32;
/// Dates are of the Gregorian calendar, also before it began.
const PROLEPTIC: u32 = 2;

/// How all files of a write are stored.
#[derive(Debug)]
pub struct OrcShape {
    types: Types,
    codec: Codec,
    bloom: BTreeSet<i32>,
    wrong_share: f64,
    metadata: Vec<(String, String)>,
}

impl OrcShape {
    /// The shape of files with columns of a table. Columns whose field ids are in `bloom` have bloom filters that find this share of
    /// values that are not there; `metadata` stands in the footer.
    ///
    /// Errors: `Unsupported` for types that ORC does not have.
    pub fn new(
        fields: &[Field],
        codec: Codec,
        bloom: BTreeSet<i32>,
        wrong_share: f64,
        metadata: Vec<(String, String)>,
    ) -> Result<Self> {
        Ok(Self { types: Types::new(fields)?, codec, bloom, wrong_share, metadata })
    }

    /// How many columns the files have, parts of others among them.
    pub fn column_count(&self) -> usize {
        self.types.types.len()
    }

    /// The columns of a stripe, before they have values. Columns of type `unknown` are not among them.
    pub fn columns(self: &Arc<Self>) -> Result<Vec<StripeColumn>> {
        let filter = |column: &Column| {
            let is_wanted = column.kind.may_bloom() && column.id.is_some_and(|id| self.bloom.contains(&id));
            is_wanted.then(|| BloomFilter::new(ROW_GROUP as u32, self.wrong_share))
        };
        let made = self.types.columns.iter().map(|column| {
            Ok(StripeColumn {
                place: column.place,
                writer: Some(ColumnWriter::new(column, &filter)),
                compressor: Compressor::new(self.codec)?,
                rows: 0,
                ended: Vec::new(),
            })
        });
        made.collect()
    }
}

/// A column of the rows of a stripe, which any thread may encode.
pub struct StripeColumn {
    place: usize,
    writer: Option<ColumnWriter>,
    compressor: Compressor,
    /// Rows of the current row group.
    rows: usize,
    ended: Vec<Ended>,
}

impl StripeColumn {
    /// Its place among the columns of the table.
    pub fn place(&self) -> usize {
        self.place
    }

    /// Adds values of the column, in the table's Arrow form. Errors: `InvalidInput` for values that ORC does not have.
    pub fn encode(&mut self, array: &ArrayRef) -> Result<()> {
        let Some(writer) = &mut self.writer else { return Err(ended()) };
        let mut start = 0;
        while start < array.len() {
            if self.rows == ROW_GROUP {
                writer.end_group();
                self.rows = 0;
            }
            let count = (ROW_GROUP - self.rows).min(array.len() - start);
            writer.append(&array.slice(start, count))?;
            self.rows += count;
            start += count;
        }
        writer.pack(&mut self.compressor)
    }

    /// Ends the column.
    pub fn end(&mut self) -> Result<()> {
        let Some(mut writer) = self.writer.take() else { return Err(ended()) };
        if self.rows > 0 {
            writer.end_group();
        }
        writer.finish(&mut self.compressor, &mut self.ended)
    }

    /// About how many bytes it will have.
    pub fn size(&self) -> u64 {
        let stored = |column: &Ended| column.streams.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
        self.writer.as_ref().map_or_else(|| self.ended.iter().map(stored).sum(), ColumnWriter::size)
    }
}

fn ended() -> Error {
    Error::internal("a column of an ORC file had ended")
}

/// What was written of a column with a field id, in all stripes.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnTotals {
    /// Its field id.
    pub id: i32,
    /// The bytes of its streams, without those of its parts.
    pub bytes: u64,
    /// Values that are not null.
    pub values: u64,
    /// NaNs; `None` where the type has none.
    pub nans: Option<u64>,
    /// The least and the greatest value, of types whose statistics have them.
    pub ends: Option<(Value, Value)>,
    /// Is it within a list or a map?
    pub is_repeated: bool,
}

/// A file that is being written.
pub struct OrcWriter {
    shape: Arc<OrcShape>,
    compressor: Compressor,
    written: u64,
    rows: u64,
    stripes: Vec<StripeLocation>,
    statistics: Vec<StripeStatistics>,
    totals: Vec<(Statistics, u64)>,
}

impl OrcWriter {
    /// A file, and its first bytes.
    pub fn new(shape: Arc<OrcShape>) -> Result<(Self, Vec<u8>)> {
        let mut totals = vec![(Statistics::new(Range::Nothing), 0)];
        add_totals(&shape.types.columns, &mut totals);
        let writer = Self {
            compressor: Compressor::new(shape.codec)?,
            shape,
            written: MAGIC.len() as u64,
            rows: 0,
            stripes: Vec::new(),
            statistics: Vec::new(),
            totals,
        };
        Ok((writer, MAGIC.to_vec()))
    }

    /// The bytes so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Where stripes start.
    pub fn offsets(&self) -> impl Iterator<Item = u64> {
        self.stripes.iter().map(|stripe| stripe.offset)
    }

    /// A stripe of columns that ended: its bytes, in parts.
    pub fn stripe(&mut self, rows: u64, columns: Vec<StripeColumn>) -> Result<Vec<Vec<u8>>> {
        let ended: Vec<Ended> = columns.into_iter().flat_map(|column| column.ended).collect();
        let group_count = rows.div_ceil(ROW_GROUP as u64) as usize;
        let (mut streams, mut indexes, mut data) = (Vec::new(), Vec::new(), Vec::new());
        let mut encodings = vec![Encoding { dictionary: None, second: false }.written(false)];
        let mut statistics = vec![row_statistics(rows)];
        let mut put = |column, kind, index: Vec<u8>, compressor: &mut Compressor| {
            let index = compressor.blocks(&index, BLOCK_SIZE)?;
            streams.push(StreamLocation::of_index(column, kind, index.len() as u64));
            indexes.push(index);
            Ok::<_, Error>(())
        };
        let entries = (0..group_count as u64).map(|group| RowIndexEntry {
            positions: Vec::new(),
            statistics: Some(row_statistics((rows - group * ROW_GROUP as u64).min(ROW_GROUP as u64))),
        });
        put(0, IndexKind::Rows, to_bytes(&RowIndex { entries: entries.collect() }), &mut self.compressor)?;
        self.totals[0].0.values += rows;
        for column in &ended {
            if column.groups.len() != group_count {
                return Err(Error::internal("a column of an ORC stripe has other row groups than the rows"));
            }
            let number = column.number;
            let entries = column.positions.iter().zip(&column.groups).map(|(positions, group)| {
                RowIndexEntry { positions: positions.clone(), statistics: Some(group.to_message(0)) }
            });
            let index = RowIndex { entries: entries.collect() };
            put(number, IndexKind::Rows, to_bytes(&index), &mut self.compressor)?;
            if let Some(filters) = &column.bloom_filters {
                let filters = filters.iter().map(|filter| {
                    let (hashes, bits) = filter.to_bytes();
                    BloomFilterMessage { hashes, bits }
                });
                let index = BloomFilterIndex { filters: filters.collect() };
                put(number, IndexKind::Bloom, to_bytes(&index), &mut self.compressor)?;
            }
        }
        for column in ended {
            let Ended { number, encoding, streams: values, groups, bloom_filters, .. } = column;
            let bytes = values.iter().map(|(_, bytes)| bytes.len() as u64).sum();
            encodings.push(Encoding::written(encoding, bloom_filters.is_some()));
            for (kind, bytes) in values {
                streams.push(StreamLocation::of_values(number, kind, bytes.len() as u64));
                data.push(bytes);
            }
            let Some((total, total_bytes)) = self.totals.get_mut(number as usize) else {
                return Err(Error::internal("a column that the ORC file does not have"));
            };
            let mut stripe = Statistics::new(empty_like(&total.range));
            for group in &groups {
                stripe.merge(group);
            }
            total.merge(&stripe);
            *total_bytes += bytes;
            statistics.push(stripe.to_message(bytes));
        }
        let footer = StripeFooter::bytes_of(streams, encodings, ZONE);
        let footer = self.compressor.blocks(&footer, BLOCK_SIZE)?;
        let sum = |parts: &[Vec<u8>]| parts.iter().map(|part| part.len() as u64).sum::<u64>();
        let place = StripeLocation {
            offset: self.written,
            index_length: sum(&indexes),
            data_length: sum(&data),
            footer_length: footer.len() as u64,
            rows,
        };
        self.written += place.index_length + place.data_length + place.footer_length;
        self.rows += rows;
        self.stripes.push(place);
        self.statistics.push(StripeStatistics { columns: statistics });
        Ok(indexes.into_iter().chain(data).chain([footer]).collect())
    }

    /// The end of the file, and what was written of each column.
    pub fn finish(mut self) -> Result<(Vec<u8>, Vec<ColumnTotals>)> {
        let metadata = to_bytes(&FileMetadata { stripes: std::mem::take(&mut self.statistics) });
        let mut end = self.compressor.blocks(&metadata, BLOCK_SIZE)?;
        let metadata_length = end.len() as u64;
        let user_metadata = self.shape.metadata.iter().map(|(name, value)| UserMetadata {
            name: name.as_bytes().to_vec(),
            value: value.as_bytes().to_vec(),
        });
        let footer = to_bytes(&Footer {
            header_length: MAGIC.len() as u64,
            content_length: self.written,
            stripes: self.stripes,
            types: self.shape.types.types.clone(),
            user_metadata: user_metadata.collect(),
            rows: self.rows,
            statistics: self
                .totals
                .iter()
                .map(|(total, bytes)| to_bytes(&total.to_message(*bytes)))
                .collect(),
            row_group: ROW_GROUP as u32,
            writer: Some(WRITER),
            calendar: PROLEPTIC,
            software: concat!("floeberg ", env!("CARGO_PKG_VERSION")).to_owned(),
            ..Footer::default()
        });
        let footer = self.compressor.blocks(&footer, BLOCK_SIZE)?;
        let postscript = Postscript {
            footer_length: footer.len() as u64,
            compression: self.shape.codec.compression,
            block_size: BLOCK_SIZE,
            metadata_length,
            writer_version: WRITER_VERSION,
            has_magic: true,
        };
        let postscript = postscript.to_bytes();
        let length = u8::try_from(postscript.len()).map_err(|_| Error::internal("a long postscript"))?;
        end.extend(footer);
        end.extend(postscript);
        end.push(length);
        let mut columns = Vec::new();
        described(&self.shape.types.columns, &self.totals, &mut columns);
        Ok((end, columns))
    }
}

fn row_statistics(rows: u64) -> ColumnStatistics {
    Statistics { values: rows, has_null: false, range: Range::Nothing }.to_message(0)
}

fn add_totals(columns: &[Column], totals: &mut Vec<(Statistics, u64)>) {
    for column in columns {
        totals.push((Statistics::new(column.kind.range()), 0));
        add_totals(&column.parts, totals);
    }
}

/// The statistics of no value, of the kind of others.
fn empty_like(range: &Range) -> Range {
    match range {
        Range::Nothing => Range::Nothing,
        Range::Booleans(_) => Range::Booleans(0),
        Range::Integers(..) => Range::Integers(None, Some(0)),
        Range::Floats(..) => Range::Floats(None, 0.0, 0),
        Range::Texts(..) => Range::Texts(None, 0),
        Range::Decimals(_, _, scale) => Range::Decimals(None, Some(0), *scale),
        Range::Dates(_) => Range::Dates(None),
        Range::Timestamps(_, nanos) => Range::Timestamps(None, *nanos),
        Range::Binary(_) => Range::Binary(0),
        Range::Collections(..) => Range::Collections(None, 0),
    }
}

fn described(columns: &[Column], totals: &[(Statistics, u64)], out: &mut Vec<ColumnTotals>) {
    for column in columns {
        if let (Some(id), Some((total, bytes))) = (column.id, totals.get(column.number as usize)) {
            let primitive = match &column.field_type {
                Type::Primitive(primitive) => Some(primitive),
                _ => None,
            };
            out.push(ColumnTotals {
                id,
                bytes: *bytes,
                values: total.values,
                nans: match total.range {
                    Range::Floats(_, _, nans) => Some(nans),
                    _ => None,
                },
                ends: primitive.and_then(|primitive| ends_of(&total.range, total.values, primitive)),
                is_repeated: column.is_repeated,
            });
        }
        described(&column.parts, totals, out);
    }
}
