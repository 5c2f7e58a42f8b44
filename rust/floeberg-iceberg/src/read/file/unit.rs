//! What of a file is read on its own, and how?
//!
//! A unit is a row group of Parquet, a stripe of ORC, and a whole file of Avro.
//!
//! Invariant: positions of rows are those in the file, whatever is left out of it.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::rows::DeletedRows;
use floeberg_core::{Cancel, Result};

use crate::read::avro::AvroReader;
use crate::read::filter::RowPredicate;
use crate::read::orc::OrcReader;
use crate::read::parquet::GroupReader;
use crate::read::project::Projection;

/// A part of a file that is read on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::read) struct Unit {
    /// Its number in the file.
    pub(in crate::read) number: usize,
    /// Its rows, as positions in the file; `None` where only reading tells how many there are.
    pub(in crate::read) rows: Option<Range<u64>>,
}

/// What to read of a unit: the rows that deletes and a filter leave, in order.
#[derive(Debug, Clone, Copy)]
pub(in crate::read) struct UnitRequest<'a> {
    /// The unit.
    pub(in crate::read) unit: &'a Unit,
    /// What comes out.
    pub(in crate::read) projection: &'a Arc<Projection>,
    /// The rows of the file that are deleted.
    pub(in crate::read) deletes: &'a Arc<DeletedRows>,
    /// The filter that is left.
    pub(in crate::read) predicate: Option<&'a Arc<RowPredicate>>,
    /// The rows of a batch, at most.
    pub(in crate::read) batch_rows: usize,
    /// Stops the work between batches, where a unit may be long.
    pub(in crate::read) cancel: &'a Cancel,
}

impl UnitRequest<'_> {
    /// Do columns or the filter need the positions of rows?
    pub(in crate::read) fn needs_positions(&self) -> bool {
        self.projection.needs_positions() || self.predicate.is_some_and(|filter| filter.needs_positions())
    }
}

/// The batches of a unit. After an error nothing follows.
pub(in crate::read) enum UnitReader {
    /// Of a row group.
    Parquet(GroupReader),
    /// Of an Avro file.
    Avro(Box<AvroReader>),
    /// Of a stripe of ORC.
    Orc(Box<OrcReader>),
}

impl Iterator for UnitReader {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Parquet(reader) => reader.next(),
            Self::Avro(reader) => reader.next(),
            Self::Orc(reader) => reader.next(),
        }
    }
}
