//! Which sort order do declared fields give?
//!
//! In: columns, transforms and directions, and the orders that the table has. Out: an order, or an equal one of
//! the table.
//! Spec: Sorting.
//!
//! Invariant: order 0 is unsorted, and every other order has fields.

use std::sync::Arc;

use floeberg_core::schema::Schema;
use floeberg_core::{Error, Result};
use serde_json::Map;

use super::column::DeclaredSource;
use crate::metadata::{NullOrder, SortDirection, SortField, SortOrder};

/// How a user writes a sort field.
const WRITTEN: &str = "a sort field is a column, or one column in a transform as bucket(16, id) or day(ts), with \"asc\" or \
                       \"desc\" after it, and then \"nulls first\" or \"nulls last\"";

/// A sort field, declared by a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredSort {
    /// Its source columns, and its transform.
    pub source: DeclaredSource,
    /// Smallest first or last?
    pub direction: SortDirection,
    /// `None` is first for ascending order, and last for descending.
    pub null_order: Option<NullOrder>,
}

/// The order of these fields; an equal order of the table is returned with its id.
///
/// Errors: `InvalidInput` for an unknown column or one that cannot be sorted by, `Unsupported` for an unknown transform of
/// one column.
pub fn build_sort_order(
    schema: &Schema,
    known: &[Arc<SortOrder>],
    declared: &[DeclaredSort],
    format_version: u8,
    case_sensitive: bool,
) -> Result<SortOrder> {
    let fields = declared.iter().map(|each| sort_field(schema, each, format_version, case_sensitive));
    let fields = fields.collect::<Result<Vec<_>>>()?;
    if let Some(equal) = known.iter().find(|order| order.fields == fields) {
        return Ok(SortOrder::clone(equal));
    }
    let order_id = match known.iter().map(|order| order.order_id).max() {
        _ if fields.is_empty() => 0,
        None => 1,
        Some(highest) => {
            highest.checked_add(1).ok_or_else(|| Error::limit("no sort order id is left"))?.max(1)
        }
    };
    Ok(SortOrder { order_id, fields, unknown_keys: Map::new() })
}

fn sort_field(
    schema: &Schema,
    declared: &DeclaredSort,
    format_version: u8,
    case_sensitive: bool,
) -> Result<SortField> {
    let usual = match declared.direction {
        SortDirection::Ascending => NullOrder::First,
        SortDirection::Descending => NullOrder::Last,
    };
    Ok(SortField {
        source_ids: declared.source.ids(schema, format_version, case_sensitive, WRITTEN)?,
        transform: declared.source.transform.clone(),
        direction: declared.direction,
        null_order: declared.null_order.unwrap_or(usual),
        unknown_keys: Map::new(),
    })
}
