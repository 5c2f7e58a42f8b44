//! Which statistics of metadata columns follow from the positions of a unit's rows?
//!
//! Invariant: nothing follows from positions if the file stores row ids.

use std::ops::Range;

use floeberg_core::expr::{ColumnStats, Share, Stats};
use floeberg_core::schema::Type;
use floeberg_core::schema::reserved::{POS, ROW_ID};
use floeberg_core::value::Value;

/// The rows of a unit.
#[derive(Debug, Clone)]
pub struct PositionStats {
    /// Their positions in the file.
    pub rows: Range<u64>,
    /// The id of the file's first row, where ids follow from positions alone.
    pub first_row_id: Option<i64>,
}

impl Stats for PositionStats {
    fn column(&self, id: i32, _: &Type) -> ColumnStats {
        let first = match (id, self.first_row_id) {
            (POS, _) => 0,
            (ROW_ID, Some(first)) => first,
            _ => return ColumnStats::default(),
        };
        let value = |position: u64| i64::try_from(position).ok()?.checked_add(first).map(Value::Long);
        let last = self.rows.end.checked_sub(1).filter(|last| *last >= self.rows.start);
        match (value(self.rows.start), last.and_then(value)) {
            (Some(lower), Some(upper)) => {
                ColumnStats { nulls: Share::None, nans: Share::None, lower: Some(lower), upper: Some(upper) }
            }
            _ => ColumnStats::default(),
        }
    }
}
