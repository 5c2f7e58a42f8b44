//! How are the rows of a file sorted?
//!
//! Spec: Sorting; Appendix C, Sort Orders.

use floeberg_core::transform::Transform;
use serde_json::{Map, Value as Json};

/// A sort order. Order 0 is unsorted.
#[derive(Debug, Clone, PartialEq)]
pub struct SortOrder {
    /// The id.
    pub order_id: i32,
    /// The fields, most significant first.
    pub fields: Vec<SortField>,
    /// JSON keys that this version does not know.
    pub unknown_keys: Map<String, Json>,
}

/// A field of a sort order.
#[derive(Debug, Clone, PartialEq)]
pub struct SortField {
    /// Its source columns.
    pub source_ids: Vec<i32>,
    /// Its transform.
    pub transform: Transform,
    /// Smallest first or last?
    pub direction: SortDirection,
    /// Nulls first or last?
    pub null_order: NullOrder,
    /// JSON keys that this version does not know.
    pub unknown_keys: Map<String, Json>,
}

/// Smallest first or last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortDirection {
    /// `asc`
    Ascending,
    /// `desc`
    Descending,
}

/// Nulls first or last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NullOrder {
    /// `nulls-first`
    First,
    /// `nulls-last`
    Last,
}
