//! What was the last id, or the last number, that a table assigned?
//!
//! Spec: Table Metadata Fields (`last-column-id`, `last-partition-id`, `last-sequence-number`, `next-row-id`).
//!
//! Invariant: a counter is never below the ids in the metadata itself. With a counter that is too low, a new column would read the
//! values of a dropped one, deletes would apply to later rows, and rows would share their ids.

use floeberg_core::schema::reserved::LAST_TABLE_FIELD_ID;

use crate::metadata::TableMetadata;

/// Raises counters to the ids in the metadata.
pub(super) fn raise_counters(metadata: &mut TableMetadata) {
    let columns = metadata.schemas.iter().map(|schema| schema.highest_field_id());
    let columns = columns.filter(|id| *id <= LAST_TABLE_FIELD_ID);
    metadata.last_column_id = columns.fold(metadata.last_column_id, i32::max);
    let fields = metadata.partition_specs.iter().flat_map(|spec| &spec.fields);
    metadata.last_partition_id =
        fields.map(|field| field.field_id).fold(metadata.last_partition_id, i32::max);
    if metadata.format_version > 1 {
        let numbers = metadata.snapshots.iter().map(|snapshot| snapshot.sequence_number);
        metadata.last_sequence_number = numbers.fold(metadata.last_sequence_number, i64::max);
    }
    if metadata.format_version > 2 {
        let ends = metadata.snapshots.iter().filter_map(|snapshot| {
            Some(snapshot.first_row_id?.saturating_add(snapshot.added_rows.unwrap_or(0)))
        });
        metadata.next_row_id = ends.fold(metadata.next_row_id, |next, end| next.max(Some(end)));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::metadata::fixture::{parsed, v1, v2, with};

    #[test]
    fn counters_are_not_below_what_was_given() {
        let low = with(with(v2(), "", "last-column-id", json!(1)), "", "last-sequence-number", json!(1));
        let low = with(low, "", "last-partition-id", json!(3));
        let metadata = parsed(&low);
        assert_eq!(
            (metadata.last_column_id, metadata.last_sequence_number),
            (4, 3),
            "a dropped column counts"
        );
        assert_eq!(metadata.last_partition_id, 1000);
        let v3 = with(with(low, "", "format-version", json!(3)), "", "next-row-id", json!(2));
        let v3 =
            with(with(v3, "/snapshots/1", "first-row-id", json!(5)), "/snapshots/1", "added-rows", json!(7));
        assert_eq!(parsed(&v3).next_row_id, Some(12));
    }

    #[test]
    fn counters_that_are_higher_stay() {
        let high = with(with(v2(), "", "last-column-id", json!(70)), "", "last-sequence-number", json!(80));
        let metadata = parsed(&with(high, "", "last-partition-id", json!(2000)));
        let found = (metadata.last_column_id, metadata.last_sequence_number, metadata.last_partition_id);
        assert_eq!(found, (70, 80, 2000));
        let v1 = parsed(&v1());
        assert_eq!((v1.last_column_id, v1.last_sequence_number, v1.next_row_id), (2, 0, None));
    }
}
