//! Which sort order does a Parquet file declare?
//!
//! In: the columns that rows are sorted by. Out: the leading columns for which Parquet has the same order.
//!
//! Invariant: the declared order holds for every reader. Parquet leaves the order of NaN and zeros open, so the list ends before a
//! float.

use floeberg_core::schema::PrimitiveType;
use floeberg_files::SortColumn;
use parquet::file::metadata::SortingColumn;

use super::leaf::Leaf;

/// The columns that rows are sorted by; `None` if the list is empty.
pub(super) fn sorting_columns(order: &[SortColumn], leaves: &[Leaf]) -> Option<Vec<SortingColumn>> {
    let columns: Vec<_> = order.iter().map_while(|column| sorting_column(*column, leaves)).collect();
    (!columns.is_empty()).then_some(columns)
}

fn sorting_column(column: SortColumn, leaves: &[Leaf]) -> Option<SortingColumn> {
    let is_its = |leaf: &Leaf| match leaf {
        Leaf::Single(_, PrimitiveType::Float | PrimitiveType::Double) => false,
        Leaf::Single(id, _) => *id == column.id,
        _ => false,
    };
    Some(SortingColumn {
        column_idx: i32::try_from(leaves.iter().position(is_its)?).ok()?,
        descending: column.descends,
        nulls_first: column.nulls_first,
    })
}
