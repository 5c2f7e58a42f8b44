//! What does a Parquet file say of the order of its rows?
//!
//! In: the columns that rows are sorted by. Out: the same of a file, as far as Parquet has an order for them.
//!
//! Invariant: what is said is so for every reader: where NaN and the zeros stand Parquet leaves open, so floats end it.

use floeberg_core::schema::PrimitiveType;
use floeberg_files::SortColumn;
use parquet::file::metadata::SortingColumn;

use super::leaf::Leaf;

/// The columns that rows are sorted by; `None` where no column is the first.
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
