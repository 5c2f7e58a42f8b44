//! The rows of one row group, as batches of the schema.
//!
//! In: a file, a row group, its remaining rows, a filter. Out: batches.
//!
//! Invariant: the bytes of the columns are fetched together, filter columns before the others. Bytes that the decoder does not
//! request are not read.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::BooleanBuffer;
use arrow_schema::ArrowError;
use floeberg_core::rows::KeptRows;
use floeberg_core::{Context, Error, Result};
use floeberg_files::{Projection, RowPositions, RowPredicate};
use parquet::DecodeResult;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowPredicateFn, RowFilter};
use parquet::arrow::push_decoder::{ParquetPushDecoder, ParquetPushDecoderBuilder};
use parquet::file::metadata::RowGroupMetaData;

use super::decoded_rows::{DecodedRows, Passed};
use super::left_rows::LeftRows;
use super::{ParquetFile, fence};

/// The decoded bytes of one batch, about.
const BATCH_BYTES: u64 = 64 << 20;

/// What to read of a row group.
#[derive(Debug, Clone)]
pub(super) struct GroupRequest {
    /// The file.
    pub(super) file: Arc<ParquetFile>,
    /// The columns of the result.
    pub(super) projection: Arc<Projection>,
    /// The number of the row group.
    pub(super) group: usize,
    /// The positions of the decoded rows, if needed.
    pub(super) positions: Option<DecodedRows>,
    /// The remaining rows.
    pub(super) rows: LeftRows,
    /// The residual filter.
    pub(super) predicate: Option<Arc<RowPredicate>>,
    /// The rows of a batch, at most.
    pub(super) batch_rows: usize,
}

/// The batches of a row group.
pub(super) struct GroupReader {
    file: Arc<ParquetFile>,
    projection: Arc<Projection>,
    /// Which of the rows still to be decoded are returned; `None` is all.
    kept: Option<BooleanBuffer>,
    /// The positions of the rows still to be decoded, if needed.
    positions: Option<DecodedRows>,
    /// The results of the filter, until the first batch is returned.
    passed: Option<Passed>,
    /// `None` after the end and after an error.
    decoder: Option<ParquetPushDecoder>,
}

impl GroupReader {
    /// Prepares to read; nothing is read before the first batch is requested.
    pub(super) fn new(request: GroupRequest) -> Result<Self> {
        let GroupRequest {
            file,
            projection,
            group,
            positions,
            rows: LeftRows { selection, kept, .. },
            predicate,
            batch_rows,
        } = request;
        let passed = (positions.is_some() && predicate.is_some()).then(Passed::new);
        let decoder = fence(file.location(), || {
            let schema = file.reader.parquet_schema();
            let leaves = projection.leaves.iter().copied();
            let rows = batch_rows.min(rows_that_fit(file.metadata().row_group(group), &projection));
            let mut builder = ParquetPushDecoderBuilder::new_with_metadata(file.reader.clone())
                .with_row_groups(vec![group])
                .with_projection(ProjectionMask::leaves(schema, leaves))
                .with_batch_size(rows);
            if let Some(selection) = selection {
                if predicate.is_some() && selection.row_count() < selection.skipped_row_count() {
                    // The library's cache of filter columns fetches and decodes whole batches around few rows.
                    builder = builder.with_max_predicate_cache_size(0);
                }
                builder = builder.with_row_selection(selection);
            }
            if let Some(predicate) = predicate {
                let mask = ProjectionMask::leaves(schema, predicate.leaves().iter().copied());
                let mut tested = positions.clone();
                let passed = passed.clone();
                let evaluate = move |batch: RecordBatch| {
                    let positions = match &mut tested {
                        Some(rows) => rows.next(batch.num_rows()),
                        None => Ok(RowPositions::Unasked),
                    };
                    let matching =
                        positions.and_then(|positions| predicate.evaluate(&batch, &positions, None));
                    let matching = matching.map_err(|error| ArrowError::ExternalError(Box::new(error)))?;
                    if let Some(passed) = &passed {
                        passed.add(&matching);
                    }
                    Ok(matching)
                };
                let filter = RowFilter::new(vec![Box::new(ArrowPredicateFn::new(mask, evaluate))]);
                builder = builder.with_row_filter(filter);
            }
            builder.build()
        })?;
        Ok(Self { file, projection, kept, positions, passed, decoder: Some(decoder) })
    }

    /// Drops the unwanted rows of the next decoded batch. Also returns the positions of the others, if needed.
    fn drop_rows(&mut self, batch: RecordBatch) -> Result<(RecordBatch, RowPositions)> {
        if let Some(passed) = self.passed.take() {
            self.positions = self.positions.take().map(|rows| rows.passed(&passed)).transpose()?;
        }
        let positions = match &mut self.positions {
            Some(rows) => rows.next(batch.num_rows())?,
            None => RowPositions::Unasked,
        };
        let Some(kept) = &mut self.kept else { return Ok((batch, positions)) };
        let (rows, left) = (batch.num_rows(), kept.len());
        if rows > left {
            return Err(Error::invalid_data(format!(
                "the Parquet file has {rows} rows where its footer says {left}"
            )));
        }
        let of_batch = kept.slice(0, rows);
        *kept = kept.slice(rows, left - rows);
        let positions = positions.kept(&of_batch)?;
        Ok((KeptRows::new(of_batch).filter(batch)?, positions))
    }

    fn step(&mut self) -> Result<Option<RecordBatch>> {
        let file = Arc::clone(&self.file);
        let location = file.source.location();
        loop {
            let Some(decoder) = self.decoder.as_mut() else { return Ok(None) };
            match fence(location, || decoder.try_decode())? {
                DecodeResult::NeedsData(ranges) => {
                    let size = file.source.size()?;
                    if let Some(range) = ranges.iter().find(|range| range.end > size) {
                        return Err(Error::invalid_data(format!(
                            "the Parquet file claims bytes {range:?} and has {size}"
                        )));
                    }
                    let data = file.source.read_ranges(&ranges)?;
                    fence(location, || decoder.push_ranges(ranges, data))?;
                }
                DecodeResult::Data(batch) => {
                    let (batch, positions) = self.drop_rows(batch)?;
                    if batch.num_rows() > 0 {
                        return self.projection.apply(&batch, &positions).map(Some);
                    }
                }
                DecodeResult::Finished => {
                    self.decoder = None;
                    return Ok(None);
                }
            }
        }
    }
}

impl Iterator for GroupReader {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step();
        if step.is_err() {
            self.decoder = None;
        }
        step.context("path", self.file.location()).transpose()
    }
}

/// How many rows make a batch of about [`BATCH_BYTES`], by the column sizes in the footer.
fn rows_that_fit(group: &RowGroupMetaData, projection: &Projection) -> usize {
    let bytes: u64 = projection
        .leaves
        .iter()
        .map(|leaf| {
            let column = group.column(*leaf);
            let encoded = u64::try_from(column.uncompressed_size()).unwrap_or(0);
            let plain = column.unencoded_byte_array_data_bytes().and_then(|bytes| u64::try_from(bytes).ok());
            encoded.max(plain.unwrap_or(0))
        })
        .fold(0, u64::saturating_add);
    let rows = u64::try_from(group.num_rows()).unwrap_or(0).max(1);
    let a_row = (bytes / rows).max(1);
    usize::try_from((BATCH_BYTES / a_row).max(1)).unwrap_or(usize::MAX)
}
