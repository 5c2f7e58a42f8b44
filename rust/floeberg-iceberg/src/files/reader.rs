//! What does every format that is read offer?
//!
//! Rules that every [`FileReader`] keeps:
//! 1. Opening and the calls for units read no rows. What cannot be read is an error before the first batch.
//! 2. The rows of a unit come out in the file's order. They are those that the [`UnitRequest`] leaves: a row goes where a
//!    delete names it, or where the filter is not true of it.
//! 3. What a format can leave out cheaply (statistics, pages, rows dropped while decoding) it leaves out; the rows that come
//!    out do not differ. One that knows neither deletes nor filters uses [`AfterDecoding`](super::AfterDecoding).
//! 4. A batch has the projection's schema exactly and as many rows as were asked for, at most. None is empty.
//! 5. Damage is an error that names the file, never a panic; after an error nothing follows.
//! 6. A call is for a file, a unit or a batch, never for a row or a value.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::Result;
use floeberg_core::rows::DeletedRows;
use floeberg_core::schema::Field;

use super::file_fields::FileFields;
use super::filter::FileFilter;
use super::project::Projection;
use super::unit::{Unit, UnitRequest};

/// The batches of a unit.
pub(crate) type UnitReader = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

/// A data or delete file whose columns are known. The rules are in the module's documentation.
pub(crate) trait FileReader: Debug + Send + Sync {
    /// Its columns.
    fn fields(&self) -> &FileFields;

    /// The units that start in a range of its bytes, of those that may hold a row that the filter leaves. A unit that starts
    /// in one of the ranges that cut a file starts in no other.
    fn units(&self, bytes: Option<&Range<u64>>, filter: &FileFilter) -> Vec<Unit>;

    /// The units, of some, that may hold a row that the filter leaves by what must be read to be asked.
    fn without_ruled_out(&self, units: Vec<Unit>, _filter: &FileFilter) -> Result<Vec<Unit>> {
        Ok(units)
    }

    /// The file with what helps to read units through a filter.
    fn prepared(
        self: Arc<Self>,
        units: &[Unit],
        projection: &Projection,
        filter: &FileFilter,
    ) -> Result<Arc<dyn FileReader>>;

    /// The rows of a unit; nothing is read before the first batch is asked for.
    fn read(self: Arc<Self>, request: &UnitRequest<'_>) -> Result<UnitReader>;

    /// The one text that all rows of a unit have in a top-level column, where the file proves it.
    fn one_text(&self, _unit: &Unit, _column: &Field) -> Option<&str> {
        None
    }
}

/// The units that start in a range of a file's bytes, are not deleted whole, and may hold a row that the filter leaves.
pub(crate) fn units_to_read(
    file: &dyn FileReader,
    bytes: Option<&Range<u64>>,
    deletes: &DeletedRows,
    filter: &FileFilter,
) -> Vec<Unit> {
    if let FileFilter::None = filter {
        return Vec::new();
    }
    let mut units = file.units(bytes, filter);
    let has_left = |rows: &Range<u64>| deletes.count(rows.clone()) < rows.end - rows.start;
    units.retain(|unit| unit.rows.as_ref().is_none_or(has_left));
    if let FileFilter::Rows(predicate) = filter {
        units.retain(|unit| unit.rows.clone().is_none_or(|rows| predicate.may_match_at(rows)));
    }
    units
}
