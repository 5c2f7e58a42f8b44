//! How are the rows of one write sorted, where it is not by the order of the table?
//!
//! In: a sort order, or a z-order. Out: the same, checked, or as JSON for a worker.
//!
//! Invariant: the key of a row in a z-order is bounded.

use floeberg_core::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::metadata::SortOrder;
use crate::metadata::json::{emit_order, parse_order};
use crate::wire::json::JsonPath;

/// The most bytes of a key in a z-order.
const MOST_KEY_BYTES: usize = 4096;

/// An order of the rows of one write.
#[derive(Debug, Clone, PartialEq)]
pub enum RowOrder {
    /// By a sort order. Files get its id: 0 where it is not one of the table's.
    Sort(SortOrder),
    /// By a z-order. Files count as unsorted, since the specification has no such order.
    ZOrder(ZOrder),
}

/// Rows that are near each other in several columns are near each other in the files: the bits of the columns take turns, the most
/// significant ones first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ZOrder {
    /// The columns.
    pub column_ids: Vec<i32>,
    /// How many bytes a value of variable length gives: strings, binary and fixed values, and UUIDs.
    pub variable_bytes: usize,
    /// How many bytes of the bits that took turns are compared.
    pub key_bytes: usize,
}

impl ZOrder {
    /// Checks that keys are of a reasonable length, of columns that give so many bytes.
    ///
    /// Errors: `InvalidInput`.
    pub(super) fn key_bytes(&self, widths: &[usize]) -> Result<usize> {
        if self.variable_bytes == 0 || self.key_bytes == 0 {
            return Err(Error::invalid_input(
                "a z-order needs at least 1 byte of each column, and of the key",
            ));
        }
        let all = widths.iter().fold(0_usize, |all, width| all.saturating_add(*width));
        let length = all.min(self.key_bytes);
        if length > MOST_KEY_BYTES {
            return Err(Error::invalid_input(format!(
                "expected a z-order of at most {MOST_KEY_BYTES} bytes a row, found {length}: let columns give fewer bytes, or \
                 compare fewer"
            )));
        }
        Ok(length)
    }
}

impl RowOrder {
    /// As JSON.
    pub(super) fn to_json(&self) -> Json {
        match self {
            Self::Sort(order) => json!({ "sort-order": emit_order(order) }),
            Self::ZOrder(order) => json!({ "z-order": order }),
        }
    }

    /// Reads what [`RowOrder::to_json`] gave. Errors: `InvalidInput`, `InvalidData`.
    pub(super) fn from_json(json: &Json, path: &JsonPath<'_>) -> Result<Self> {
        if let Some(order) = json.get("sort-order") {
            let order = parse_order(order.clone(), &path.key("sort-order"))?;
            return Ok(Self::Sort(SortOrder::clone(&order)));
        }
        let order = json.get("z-order").and_then(|order| ZOrder::deserialize(order).ok());
        order.map(Self::ZOrder).ok_or_else(|| Error::invalid_input("expected a sort order or a z-order"))
    }
}
