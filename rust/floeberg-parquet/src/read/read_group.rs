//! How are the remaining rows of a row group read?
//!
//! In: a row group to read. Out: a reader that skips pages, and whose decoder drops rows.
//!
//! Invariant: the result has exactly the rows that [`UnitRequest`] asks for.

use std::sync::Arc;

use floeberg_core::rows::RangeMask;
use floeberg_core::{Error, Result};
use floeberg_files::{FileFilter, Projection, Unit, UnitRequest};

use super::decoded_rows::DecodedRows;
use super::left_rows::LeftRows;
use super::row_group::GroupReader;
use super::row_group::GroupRequest;
use super::{ParquetFile, pages};

/// Batches are this many times smaller if the decoder drops rows: decoded values are then still in the processor's cache when they
/// are filtered.
const MASKED_SHARE: usize = 4;

/// The fewest compressed bytes of row groups for which a file's page index is worth reading.
const PAGES_FROM: u64 = 256 << 10;

impl ParquetFile {
    /// The file, with indexes that help to read row groups through a filter; `None` if there are none.
    pub(super) fn with_index_for(
        &self,
        units: &[Unit],
        projection: &Projection,
        filter: &FileFilter,
    ) -> Result<Option<Self>> {
        match filter {
            FileFilter::Rows(predicate) if self.bytes_of(units) >= PAGES_FROM => {
                let numbers: Vec<_> = units.iter().map(|unit| unit.number).collect();
                let tested: Vec<_> = predicate.leaves().iter().copied().collect();
                let read: Vec<_> = predicate.leaves().union(&projection.leaves).copied().collect();
                self.with_page_index(&numbers, &tested, &read).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The rows of a row group.
    pub(super) fn read_group(self: &Arc<Self>, request: &UnitRequest<'_>) -> Result<GroupReader> {
        let group = request.unit.number;
        let Some(rows) = request.unit.rows.clone() else {
            return Err(Error::internal(format!("the number of rows of row group {group} is not known")));
        };
        let group_rows = rows.clone();
        let mut kept = request.deletes.kept(rows.clone())?;
        let mut predicate = request.predicate.map(Arc::clone);
        if let Some(filter) = predicate.take_if(|filter| filter.leaves().is_empty()) {
            // No column of the file is tested, so rows that do not match need not be decoded.
            kept = kept.and(&filter.matching_at(rows)?);
        }
        let pages = predicate.as_ref().and_then(|filter| pages::select(self, filter, group, request.counts));
        let mut rows = match kept {
            RangeMask::All => LeftRows::default(),
            RangeMask::None => LeftRows::none(),
            RangeMask::Some(mask) if predicate.is_none() => LeftRows::new(mask),
            RangeMask::Some(mask) => LeftRows::by_decoder(mask),
        };
        rows.selection = match (pages, rows.selection) {
            (Some(pages), Some(left)) => Some(pages.intersection(&left)),
            (pages, left) => pages.or(left),
        };
        let needs_positions = request.projection.needs_positions()
            || predicate.as_ref().is_some_and(|filter| filter.needs_positions());
        let share = if rows.decoder_drops { MASKED_SHARE } else { 1 };
        GroupReader::new(GroupRequest {
            file: Arc::clone(self),
            projection: Arc::clone(request.projection),
            group,
            positions: needs_positions.then(|| DecodedRows::new(&group_rows, rows.selection.as_ref())),
            rows,
            predicate,
            batch_rows: (request.batch_rows / share).max(1),
        })
    }

    /// The compressed bytes of row groups.
    fn bytes_of(&self, units: &[Unit]) -> u64 {
        let sizes = units.iter().map(|unit| self.metadata().row_group(unit.number).compressed_size());
        sizes.fold(0, |sum, size| sum.saturating_add(u64::try_from(size).unwrap_or(0)))
    }
}
