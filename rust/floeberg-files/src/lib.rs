//! What does a file of rows offer, whatever its format?
//!
//! The contract of a data or delete file. Read: its columns with field ids ([`FileFields`]), its parts ([`Unit`]), and the
//! rows of each ([`FileReader`]). A filter and a projection are made for one file here, and applied here if a format's
//! decoder supports neither. Written: how files are stored ([`FileLayout`]), an open file ([`FileWriter`]), and its metrics
//! ([`FileMetrics`]).
//!
//! Invariant: nothing here depends on a format, a manifest, a plan or a table.
//!
//! A module uses only modules that are declared before it.
//!
//! - `file_fields`: the columns of a file, with field ids and leaves.
//! - `positions`: positions of the rows of a batch in their file.
//! - `inherited`: row lineage of files that do not store it.
//! - `position_stats`: statistics of metadata columns, by positions.
//! - `promote`: values of an older type, promoted to the column's type.
//! - `origin`: metadata columns whose value is the same in all rows of a file.
//! - `project`: from columns of a file to the selected columns, by field id, with casts and defaults.
//! - `filter`: which rows of a file match a filter.
//! - `narrow`: batches with fewer leaves.
//! - `read_counts`: what reading did.
//! - `unit`: parts of a file that are read on their own.
//! - `properties`: the properties of a table for writing.
//! - `metrics`: which metrics are kept of which column.
//! - `delete_type`: which deletes the rows of a file are.
//! - `reader`: the contract of reading.
//! - `after_decoding`: deletes, filter and projection for formats whose decoder supports none of them.
//! - `coalesce`: small batches, joined.
//! - `ordered_values`: bytes that are ordered as values are.
//! - `piece`: rows that wait to be encoded.
//! - `writer`: the contract of an open file.
//! - `layout`: the contract of how the files of a write are stored.

mod file_fields;
mod positions;
mod inherited;
mod position_stats;
mod promote;
mod origin;
mod project;
mod filter;
mod narrow;
mod read_counts;
mod unit;
mod properties;
mod metrics;
mod delete_type;
mod reader;
mod after_decoding;
mod coalesce;
mod ordered_values;
mod piece;
mod writer;
mod layout;

pub use after_decoding::AfterDecoding;
pub use coalesce::Coalescer;
pub use delete_type::{DELETE_TYPE, DeleteType};
pub use file_fields::{FileField, FileFields, field_place};
pub use filter::{FileFilter, RowPredicate};
pub use layout::{FileLayout, LayoutRequest, SortColumn};
pub use metrics::{FileMetrics, Mode, Modes, check_metrics_mode, shorter_lower, shorter_upper, signed_zero};
pub use ordered_values::OrderedValues;
pub use origin::{Origin, names_metadata};
pub use piece::Piece;
pub use positions::RowPositions;
pub use project::{FileConstants, Projection, cast};
pub use properties::WriteProperties;
pub use read_counts::{Counted, ReadCounts, Timed, timed_if};
pub use reader::{FileReader, UnitReader, units_to_read};
pub use unit::{Unit, UnitRequest};
pub use writer::{FileWriter, Waiting, Work, rows_for};
