//! What does every format that is read offer?
//!
//! Rules that every [`FileReader`] keeps:
//! 1. Opening and the calls for units read no rows. A file that cannot be read is an error before the first batch.
//! 2. The rows of a unit are returned in the file's order. A row is left out if a delete names it, or if the filter of the
//!    [`UnitRequest`] is not true for it.
//! 3. A format skips what it can skip cheaply (by statistics, by pages, while decoding); the result does not differ. A format
//!    without support for deletes and filters uses [`AfterDecoding`](super::AfterDecoding).
//! 4. A batch has exactly the projection's schema and at most the requested number of rows. No batch is empty.
//! 5. Damage is an error that names the file, never a panic. An error ends the batches.
//! 6. A call is for a file, a unit or a batch, never for a row or a value.
//! 7. Metrics are those that a writer of the file would have given, as far as the file itself has them. A bound is left out where
//!    it may be wrong: by its order, by NaN, or by its conversion to the type of the table.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::Result;
use floeberg_core::rows::DeletedRows;
use floeberg_core::schema::{Field, Schema};

use super::file_fields::FileFields;
use super::filter::FileFilter;
use super::metrics::{FileMetrics, Modes};
use super::project::Projection;
use super::unit::{Unit, UnitRequest};

/// The batches of a unit.
pub type UnitReader = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

/// A data or delete file whose columns are known. The rules are in the module's documentation.
pub trait FileReader: Debug + Send + Sync {
    /// Its columns.
    fn fields(&self) -> &FileFields;

    /// What the footer says of the deletes that the file has: the entry [`DELETE_TYPE`](super::DELETE_TYPE).
    fn delete_type(&self) -> Option<&str> {
        None
    }

    /// The units that start in a range of its bytes and may hold a row that matches the filter. If ranges split a file, each unit
    /// starts in exactly one of them.
    fn units(&self, bytes: Option<&Range<u64>>, filter: &FileFilter) -> Vec<Unit>;

    /// Of some units, those that may hold a matching row by statistics that have to be read first, such as bloom filters.
    fn without_ruled_out(&self, units: Vec<Unit>, _filter: &FileFilter) -> Result<Vec<Unit>> {
        Ok(units)
    }

    /// The file, with indexes that help to read units through a filter.
    fn prepared(
        self: Arc<Self>,
        units: &[Unit],
        projection: &Projection,
        filter: &FileFilter,
    ) -> Result<Arc<dyn FileReader>>;

    /// The rows of a unit; nothing is read before the first batch is requested.
    fn read(self: Arc<Self>, request: &UnitRequest<'_>) -> Result<UnitReader>;

    /// About how many bytes of the file a unit takes to be read, as far as that is known.
    fn stored_bytes(&self, _unit: &Unit, _projection: &Projection) -> u64 {
        0
    }

    /// What the file says of the columns of a table. Rows are counted, but not read.
    fn metrics(&self, schema: &Schema, modes: &Modes) -> Result<FileMetrics>;

    /// The one string that all rows of a unit have in a top-level column, if the file proves it.
    fn one_text(&self, _unit: &Unit, _column: &Field) -> Option<&str> {
        None
    }
}

/// The units that start in a range of a file's bytes, are not deleted as a whole, and may hold a row that matches the filter.
pub fn units_to_read(
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
