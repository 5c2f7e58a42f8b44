//! Which rows of a group have the same values?
//!
//! In: rows, and the group of each. Out: a number for each row.
//! Spec: Lance, Data Types; Iceberg, Schemas and Data Types.
//!
//! Invariant: two rows have one number where they are of one group and have equal values, in whichever form these are stored.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use floeberg_core::Result;
use floeberg_core::rows::RowHashes;

use crate::common_columns::{common_values, new_column};
use crate::hashable::hashable;

/// Numbers of rows, which are equal for rows of one group and of equal values.
///
/// Errors: `Unsupported`, with the column, for a type whose values cannot be compared; `LimitExceeded`; `Internal` where there is not one
/// group for each row.
pub fn value_numbers(groups: &[u32], values: &RecordBatch, hashes: &RowHashes) -> Result<Vec<u128>> {
    let rows = values.num_rows();
    let groups = Int64Array::from_iter_values(groups.iter().map(|group| i64::from(*group)));
    let mut columns: Vec<ArrayRef> = vec![Arc::new(groups)];
    for (field, column) in values.schema_ref().fields().iter().zip(values.columns()) {
        let plain = common_values(Some((column, field.as_ref())), &Arc::new(new_column(field)), rows)?;
        columns.push(hashable(field.name(), &plain)?);
    }
    hashes.of(&columns, rows)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use arrow_array::types::Int32Type;
    use arrow_array::{DictionaryArray, StringArray};

    use super::*;

    #[test]
    fn rows_have_one_number_where_group_and_values_are_equal() -> Result<()> {
        let hashes = RowHashes::default();
        let of = |groups: &[u32], column: ArrayRef| {
            let batch = RecordBatch::try_from_iter([("a", column)]).unwrap();
            value_numbers(groups, &batch, &hashes)
        };
        let texts: ArrayRef = Arc::new(StringArray::from(vec!["x", "x", "y"]));
        let plain = of(&[1, 2, 1], texts)?;
        assert!(plain[0] != plain[1] && plain[0] != plain[2]);
        let coded: DictionaryArray<Int32Type> = vec!["x", "x", "y"].into_iter().collect();
        assert_eq!(of(&[1, 2, 1], Arc::new(coded))?, plain);
        assert!(of(&[1], Arc::new(StringArray::from(vec!["x", "x"]))).is_err());
        Ok(())
    }
}
