//! A data or delete file, open: its columns, its units, their rows.
//!
//! In: a location and a format. Out: readers of its units.
//!
//! Invariant: what a format cannot do cheaply (statistics, pages, rows dropped while decoding) is left to the format;
//! the rows that come out do not differ.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use floeberg_core::rows::DeletedRows;
use floeberg_core::schema::{Field, NameMapping};
use floeberg_core::{Error, Result};

use super::{FileFields, Unit, UnitReader, UnitRequest};
use crate::plan::FileFormat;
use crate::read::ReadRequest;
use crate::read::avro::AvroFile;
use crate::read::filter::FileFilter;
use crate::read::orc::OrcFile;
use crate::read::parquet::ParquetFile;
use crate::read::project::Projection;

/// A file whose columns are known.
#[derive(Debug)]
pub(in crate::read) enum OpenFile {
    /// A Parquet file.
    Parquet(Arc<ParquetFile>),
    /// An Avro file.
    Avro(Arc<AvroFile>),
    /// An ORC file.
    Orc(Arc<OrcFile>),
}

impl OpenFile {
    /// Opens a file. A mapping gives ids to a file that has none; without one columns of Parquet are found by position,
    /// those of Avro and ORC by the table's names.
    ///
    /// Errors: `Unsupported` for what a format allows and cannot be read yet, `InvalidData` for a damaged file.
    pub(in crate::read) fn open(
        request: &ReadRequest,
        location: &str,
        format: FileFormat,
        mapping: Option<&NameMapping>,
    ) -> Result<Self> {
        let store = request.store.as_ref();
        match format {
            FileFormat::Parquet => Ok(Self::Parquet(Arc::new(ParquetFile::open(store, location, mapping)?))),
            FileFormat::Avro => {
                let file = AvroFile::open(store, location, names(mapping, request).as_ref())?;
                Ok(Self::Avro(Arc::new(file)))
            }
            FileFormat::Orc => {
                let file = OrcFile::open(store, location, names(mapping, request).as_ref())?;
                Ok(Self::Orc(Arc::new(file)))
            }
            FileFormat::Puffin => {
                Err(Error::invalid_data("a file of rows is said to be Puffin").with("path", location))
            }
        }
    }

    /// Its columns.
    pub(in crate::read) fn fields(&self) -> &FileFields {
        match self {
            Self::Parquet(file) => &file.fields,
            Self::Avro(file) => &file.fields,
            Self::Orc(file) => &file.fields,
        }
    }

    /// The units that start in a range of its bytes, are not deleted whole, and may hold a row that the filter
    /// leaves. A unit that starts in one of the ranges that cut a file starts in no other.
    pub(in crate::read) fn units(
        &self,
        bytes: Option<&Range<u64>>,
        deletes: &DeletedRows,
        filter: &FileFilter,
    ) -> Vec<Unit> {
        if let FileFilter::None = filter {
            return Vec::new();
        }
        let mut units = match self {
            Self::Parquet(file) => file.units(bytes, filter),
            Self::Avro(_) => AvroFile::units(bytes),
            Self::Orc(file) => file.units(bytes),
        };
        let has_left = |rows: &Range<u64>| deletes.count(rows.clone()) < rows.end - rows.start;
        units.retain(|unit| unit.rows.as_ref().is_none_or(has_left));
        if let FileFilter::Rows(predicate) = filter {
            units.retain(|unit| unit.rows.clone().is_none_or(|rows| predicate.may_match_at(rows)));
        }
        units
    }

    /// The units, of some, that may hold a row that the filter leaves by more than statistics. What says so is read.
    pub(in crate::read) fn without_ruled_out(
        &self,
        units: Vec<Unit>,
        filter: &FileFilter,
    ) -> Result<Vec<Unit>> {
        match self {
            Self::Parquet(file) => file.without_ruled_out(units, filter),
            Self::Avro(_) | Self::Orc(_) => Ok(units),
        }
    }

    /// The file with what helps to read units through a filter.
    pub(in crate::read) fn prepared(
        self,
        units: &[Unit],
        projection: &Projection,
        filter: &FileFilter,
    ) -> Result<Self> {
        match self {
            Self::Parquet(file) => {
                let file = Arc::unwrap_or_clone(file).prepared(units, projection, filter)?;
                Ok(Self::Parquet(Arc::new(file)))
            }
            Self::Avro(_) | Self::Orc(_) => Ok(self),
        }
    }

    /// The rows of a unit.
    pub(in crate::read) fn read(&self, request: &UnitRequest<'_>) -> Result<UnitReader> {
        match self {
            Self::Parquet(file) => file.read(request).map(UnitReader::Parquet),
            Self::Avro(file) => file.read(request).map(|reader| UnitReader::Avro(Box::new(reader))),
            Self::Orc(file) => Ok(UnitReader::Orc(Box::new(file.read(request)))),
        }
    }

    /// The one text that all rows of a unit have in a top-level column, where the file proves it.
    pub(in crate::read) fn one_text(&self, unit: &Unit, column: &Field) -> Option<&str> {
        match self {
            Self::Parquet(file) => file.one_text(unit.number, column),
            Self::Avro(_) | Self::Orc(_) => None,
        }
    }
}

/// The mapping of a table; where it has none, its own names are one, as Java has it.
fn names<'a>(mapping: Option<&'a NameMapping>, request: &ReadRequest) -> Cow<'a, NameMapping> {
    mapping.map_or_else(|| Cow::Owned(NameMapping::of_schema(&request.schema)), Cow::Borrowed)
}
