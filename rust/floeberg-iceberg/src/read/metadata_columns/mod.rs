//! How do rows get the columns that no file needs to store: where they are, whether they are deleted, which rows they are?
//!
//! Spec: Reserved Field IDs; Row Lineage.
//!
//! Invariant: where nobody asks for such a column nothing is made for one.

mod deleted_column;
mod position_stats;
mod positions;
mod inherited;
mod origin;

pub(super) use deleted_column::DeletedColumn;
pub(super) use inherited::{Fallback, inherit};
pub(super) use origin::{Origin, names_metadata};
pub(super) use position_stats::PositionStats;
pub(super) use positions::RowPositions;
