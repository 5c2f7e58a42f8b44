//! What does a file of rows offer, whatever its format?
//!
//! The contract of a data or delete file, read: its columns with field ids ([`FileFields`]), its parts ([`Unit`]), and the
//! rows of each ([`FileReader`]). A filter and a projection are made for one file here, and applied where a format's
//! decoder knows neither.
//!
//! Invariant: no format is named here, and no manifest, plan or table.

mod file_fields;
mod positions;
mod inherited;
mod position_stats;
mod promote;
mod origin;
mod project;
mod filter;
mod narrow;
mod unit;
mod reader;
mod after_decoding;
mod coalesce;

pub(crate) use after_decoding::AfterDecoding;
pub(crate) use coalesce::Coalescer;
pub(crate) use file_fields::{FileField, FileFields, field_place};
pub(crate) use filter::{FileFilter, RowPredicate};
pub(crate) use origin::{Origin, names_metadata};
pub(crate) use positions::RowPositions;
pub(crate) use project::{FileConstants, Projection, cast};
pub(crate) use reader::{FileReader, UnitReader, units_to_read};
pub(crate) use unit::{Unit, UnitRequest};
