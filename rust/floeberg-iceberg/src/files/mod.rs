//! What does a file of rows offer, whatever its format?
//!
//! The contract of a data or delete file. Read: its columns with field ids ([`FileFields`]), its parts ([`Unit`]), and the
//! rows of each ([`FileReader`]). A filter and a projection are made for one file here, and applied here if a format's
//! decoder supports neither. Written: how files are stored ([`FileLayout`]), an open file ([`FileWriter`]), and its metrics
//! ([`FileMetrics`]).
//!
//! Invariant: nothing here depends on a format, a manifest, a plan or a table.

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
mod properties;
mod metrics;
mod ordered_values;
mod piece;
mod writer;
mod layout;

pub(crate) use after_decoding::AfterDecoding;
pub(crate) use coalesce::Coalescer;
pub(crate) use file_fields::{FileField, FileFields, field_place};
pub(crate) use filter::{FileFilter, RowPredicate};
pub(crate) use layout::{FileLayout, LayoutRequest, SortColumn};
pub(crate) use metrics::{FileMetrics, Mode, Modes, check_metrics_mode, shorter_lower, shorter_upper};
pub(crate) use ordered_values::OrderedValues;
pub(crate) use origin::{Origin, names_metadata};
pub(crate) use piece::Piece;
pub(crate) use positions::RowPositions;
pub(crate) use project::{FileConstants, Projection, cast};
pub(crate) use properties::WriteProperties;
pub(crate) use reader::{FileReader, UnitReader, units_to_read};
pub(crate) use unit::{Unit, UnitRequest};
pub(crate) use writer::{FileWriter, Waiting, Work, rows_for};
