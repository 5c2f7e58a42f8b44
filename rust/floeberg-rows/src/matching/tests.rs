#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use proptest::prelude::*;

use super::{ChangeType, Changes, Matcher, RowNumbers, Side};

/// Rows as pairs of a number and a key, inserted and deleted.
fn matched(inserted: &[(u8, u8)], deleted: &[(u8, u8)], has_keys: bool) -> (Changes, Changes) {
    let mut matcher = Matcher::default();
    for (side, rows) in [(Side::Inserted, inserted), (Side::Deleted, deleted)] {
        // In two batches.
        for rows in [&rows[..rows.len() / 2], &rows[rows.len() / 2..]] {
            let keys = rows.iter().map(|row| u128::from(row.1)).collect();
            let numbers = rows.iter().map(|row| u128::from(row.0)).collect();
            matcher.add(side, RowNumbers { rows: numbers, keys: has_keys.then_some(keys) }).unwrap();
        }
    }
    let matched = matcher.finish();
    (matched.deleted, matched.inserted)
}

#[test]
fn as_many_equal_rows_are_carried_over_on_both_sides() {
    let (deleted, inserted) = matched(&[(1, 0), (1, 0), (2, 0)], &[(1, 0), (3, 0)], false);
    assert_eq!(deleted, [None, Some(ChangeType::Delete)]);
    let left: Vec<_> = inserted.iter().flatten().collect();
    assert_eq!(left, [&ChangeType::Insert; 2]);
}

#[test]
fn one_row_of_a_key_on_each_side_is_an_update_and_more_are_not() {
    use ChangeType::{Delete, Insert, UpdateAfter, UpdateBefore};
    let (deleted, inserted) =
        matched(&[(1, 7), (2, 8), (3, 8), (9, 9)], &[(4, 7), (5, 8), (9, 9), (6, 5)], true);
    assert_eq!(deleted, [Some(UpdateBefore), Some(Delete), None, Some(Delete)]);
    assert_eq!(inserted, [Some(UpdateAfter), Some(Insert), Some(Insert), None]);
}

#[test]
fn copies_with_changed_rows_in_place_and_in_another_order_are_found() {
    use ChangeType::{UpdateAfter, UpdateBefore};
    // Two files, copied in the other order; in each a row was changed where it was.
    let (deleted, inserted) = matched(
        &[(14, 4), (25, 5), (16, 6), (11, 1), (22, 2), (13, 3)],
        &[(11, 1), (12, 2), (13, 3), (14, 4), (15, 5), (16, 6)],
        true,
    );
    assert_eq!(deleted, [None, Some(UpdateBefore), None, None, Some(UpdateBefore), None]);
    assert_eq!(inserted, [None, Some(UpdateAfter), None, None, Some(UpdateAfter), None]);
}

proptest! {
    #[test]
    fn what_is_left_is_the_difference_of_multisets(
        inserted in prop::collection::vec((0..6_u8, 0..3_u8), 0..30),
        deleted in prop::collection::vec((0..6_u8, 0..3_u8), 0..30),
        has_keys: bool,
    ) {
        // Equal rows have equal keys.
        let keyed = |rows: Vec<(u8, u8)>| rows.into_iter().map(|(row, _)| (row, row / 2)).collect::<Vec<_>>();
        let (inserted, deleted) = (keyed(inserted), keyed(deleted));
        let (went, came) = matched(&inserted, &deleted, has_keys);
        prop_assert_eq!((went.len(), came.len()), (deleted.len(), inserted.len()));
        let count = |rows: &[(u8, u8)], changes: &Changes, row: u8| {
            rows.iter().zip(changes).filter(|(each, change)| each.0 == row && change.is_some()).count()
        };
        for row in 0..6 {
            let all = |rows: &[(u8, u8)]| rows.iter().filter(|each| each.0 == row).count();
            let both = all(&inserted).min(all(&deleted));
            prop_assert_eq!(count(&inserted, &came, row), all(&inserted) - both);
            prop_assert_eq!(count(&deleted, &went, row), all(&deleted) - both);
        }
        let updates = |changes: &Changes, kind| changes.iter().filter(|change| **change == Some(kind)).count();
        prop_assert_eq!(updates(&went, ChangeType::UpdateBefore), updates(&came, ChangeType::UpdateAfter));
    }
}

proptest! {
    #[test]
    fn an_updated_row_is_paired_with_the_row_of_its_key(
        inserted in prop::collection::vec((0..40_u8, 0..30_u8), 0..40),
        deleted in prop::collection::vec((0..40_u8, 0..30_u8), 0..40),
    ) {
        // Equal rows have equal keys.
        let with_key = |rows: Vec<(u8, u8)>| -> Vec<(u8, u8)> { rows.iter().map(|row| (row.0, row.0 % 20)).collect() };
        let (inserted, deleted) = (with_key(inserted), with_key(deleted));
        let mut matcher = Matcher::default();
        for (side, rows) in [(Side::Inserted, &inserted), (Side::Deleted, &deleted)] {
            let keys = rows.iter().map(|row| u128::from(row.1)).collect();
            let numbers = rows.iter().map(|row| u128::from(row.0)).collect();
            matcher.add(side, RowNumbers { rows: numbers, keys: Some(keys) }).unwrap();
        }
        let matched = matcher.finish();
        let updated = |rows: &[(u8, u8)], changes: &Changes, wanted: ChangeType| -> Vec<u8> {
            let of_type = rows.iter().zip(changes).filter(|(_, change)| **change == Some(wanted));
            of_type.map(|(row, _)| row.1).collect()
        };
        let old = updated(&deleted, &matched.deleted, ChangeType::UpdateBefore);
        let new = updated(&inserted, &matched.inserted, ChangeType::UpdateAfter);
        let paired: Vec<u8> = matched.pairs.iter().map(|number| old[*number as usize]).collect();
        prop_assert_eq!(paired, new);
        prop_assert_eq!(old.len(), matched.pairs.len());
    }
}
