#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use arrow_array::MapArray;
use arrow_array::builder::{BinaryBuilder, Int32Builder, Int64Builder, MapBuilder};
use floeberg_core::ErrorKind;
use proptest::prelude::*;

use crate::manifest::EntryMetrics;

/// The map of an entry, if it has one: counts by column.
type Written = Option<Vec<(i32, i64)>>;

fn counts(entries: &[Written]) -> MapArray {
    let mut maps = MapBuilder::new(None, Int32Builder::new(), Int64Builder::new());
    for entry in entries {
        for (column, count) in entry.iter().flatten() {
            maps.keys().append_value(*column);
            maps.values().append_value(*count);
        }
        maps.append(entry.is_some()).unwrap();
    }
    maps.finish()
}

fn bounds(entries: &[Written]) -> MapArray {
    let mut maps = MapBuilder::new(None, Int32Builder::new(), BinaryBuilder::new());
    for entry in entries {
        for (column, count) in entry.iter().flatten() {
            maps.keys().append_value(*column);
            maps.values().append_value(count.to_le_bytes());
        }
        maps.append(entry.is_some()).unwrap();
    }
    maps.finish()
}

fn metrics(entries: &[Written]) -> EntryMetrics {
    EntryMetrics {
        column_sizes: counts(entries),
        value_counts: counts(entries),
        null_value_counts: counts(entries),
        nan_value_counts: counts(entries),
        lower_bounds: bounds(entries),
        upper_bounds: bounds(entries),
    }
}

proptest! {
    #[test]
    fn a_column_has_what_each_entry_says_of_it(
        entries in prop::collection::vec(
            prop::option::weighted(0.8, prop::collection::btree_map(0_i32..5, -3_i64..9, 0..5)), 0..12,
        ),
    ) {
        let entries: Vec<Written> =
            entries.into_iter().map(|entry| entry.map(|entry| entry.into_iter().collect())).collect();
        let found = metrics(&entries).statistics_of(&[1, 2, 9]).unwrap();
        prop_assert_eq!(found.keys().copied().collect::<Vec<_>>(), [1, 2, 9]);
        for (column, statistics) in found {
            let of = |entry: &Written| {
                entry.iter().flatten().find(|(own, _)| *own == column).map(|(_, count)| *count)
            };
            let expected: Vec<Option<i64>> = entries.iter().map(of).collect();
            for counts in [&statistics.value_count, &statistics.null_value_count, &statistics.nan_value_count] {
                prop_assert_eq!(counts.iter().collect::<Vec<_>>(), expected.clone());
            }
            for bounds in [&statistics.lower_bound, &statistics.upper_bound] {
                let number = |bytes: &[u8]| i64::from_le_bytes(bytes.try_into().unwrap());
                prop_assert_eq!(bounds.iter().map(|bound| bound.map(number)).collect::<Vec<_>>(), expected.clone());
            }
        }
    }
}

#[test]
fn two_counts_of_one_column_are_an_error_where_it_is_asked_for() {
    let metrics = metrics(&[None, Some(vec![(1, 4), (2, 5), (2, 6)])]);
    assert!(metrics.statistics_of(&[1]).is_ok());
    assert_eq!(metrics.statistics_of(&[1, 2]).unwrap_err().kind(), ErrorKind::InvalidData);
}
