//! By which of its columns does a file say that its rows are sorted?
//!
//! In: the order that rows are in, and the leaves of a file. Out: what each row group's `sorting_columns` say.
//! Spec: Sorting; Parquet's `SortingColumn`.
//!
//! Invariant: only what readers of Parquet order alike is said: the first fields of the order, as long as they are columns
//! themselves. Where NaN and the zeros stand Parquet leaves open, so floats end it.

use floeberg_core::schema::PrimitiveType;
use floeberg_core::transform::Transform;
use parquet::file::metadata::SortingColumn;

use super::leaves::Leaf;
use crate::metadata::{NullOrder, SortDirection, SortField, SortOrder};

/// The columns that rows are sorted by; `None` where no column is the first.
pub(super) fn sorting_columns(order: &SortOrder, leaves: &[Leaf]) -> Option<Vec<SortingColumn>> {
    let columns: Vec<_> = order.fields.iter().map_while(|field| sorting_column(field, leaves)).collect();
    (!columns.is_empty()).then_some(columns)
}

fn sorting_column(field: &SortField, leaves: &[Leaf]) -> Option<SortingColumn> {
    let ([id], Transform::Identity) = (&field.source_ids[..], &field.transform) else { return None };
    let is_its = |leaf: &Leaf| match leaf {
        Leaf::Single(_, PrimitiveType::Float | PrimitiveType::Double) => false,
        Leaf::Single(leaf_id, _) => leaf_id == id,
        _ => false,
    };
    Some(SortingColumn {
        column_idx: i32::try_from(leaves.iter().position(is_its)?).ok()?,
        descending: field.direction == SortDirection::Descending,
        nulls_first: field.null_order == NullOrder::First,
    })
}
