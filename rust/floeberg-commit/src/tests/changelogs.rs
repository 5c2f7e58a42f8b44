//! Changelogs of what commits changed.

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use floeberg_core::Cancel;
use floeberg_iceberg::write::{Receipt, WrittenFile};
use floeberg_iceberg::{ChangelogScan, Scan};

use super::kit::Kit;
use super::moved_rows::rewrite;
use super::row_deletes::{MODES, delete};
use super::row_deltas::{append, data, delta, keys, operation};
use super::row_positions::positions;
use crate::DeleteMode;

const MERGE: Option<DeleteMode> = Some(DeleteMode::MergeOnRead);

/// The changes of the last snapshot: their kinds, and ids of rows.
fn changes(kit: &Kit) -> Vec<(String, i64)> {
    let start = kit.metadata().current_snapshot().unwrap().parent_snapshot_id;
    let changelog = ChangelogScan::new(Scan::new(kit.table.clone().unwrap()), start, None, false).unwrap();
    let mut found = Vec::new();
    for batch in changelog.stream(&Cancel::default()).unwrap() {
        let batch = batch.unwrap();
        let ids = batch.column_by_name("id").unwrap().as_primitive::<Int64Type>();
        let kinds = batch.column_by_name("_change_type").unwrap().as_string::<i32>();
        found.extend(kinds.iter().zip(ids).map(|(kind, id)| (kind.unwrap().to_owned(), id.unwrap())));
    }
    found.sort();
    found
}

fn said(kind: &str, ids: &[i64]) -> Vec<(String, i64)> {
    ids.iter().map(|id| (kind.to_owned(), *id)).collect()
}

fn changed(kit: &mut Kit, file: &WrittenFile, row: u64, added: Receipt) {
    let delta = positions(kit, added, &[(file, &[row])]);
    kit.commit(vec![operation(delta)]);
}

#[test]
fn copied_rows_are_no_change() {
    for version in [1, 2, 3] {
        let mut kit = Kit::partitioned(version, &[]);
        append(&mut kit, "x", &[1, 2, 3]);
        for mode in MODES.into_iter().filter(|mode| version > 1 || *mode == DeleteMode::CopyOnWrite) {
            let id = if mode == DeleteMode::CopyOnWrite { 2 } else { 3 };
            kit.commit(vec![delete(&format!("id = {id}"), Some(mode))]);
            assert_eq!(changes(&kit), said("DELETE", &[id]), "v{version} {mode:?}");
        }
    }
}

#[test]
fn a_row_with_another_last_update_changed() {
    let mut kit = Kit::partitioned(3, &[]);
    let one = append(&mut kit, "x", &[1, 2]);
    rewrite(&mut kit, &one, &[(10, Some(0), None), (2, Some(1), Some(1))]);
    assert_eq!(changes(&kit), [said("UPDATE_AFTER", &[10]), said("UPDATE_BEFORE", &[1])].concat());
}

#[test]
fn a_row_that_was_deleted_before_does_not_go_again() {
    for version in [2, 3] {
        let mut kit = Kit::partitioned(version, &[]);
        let one = append(&mut kit, "x", &[1, 2, 3]);
        kit.commit(vec![delete("id = 1", MERGE)]);
        // The new vector holds both rows.
        changed(&mut kit, &one, 1, Receipt::default());
        assert_eq!(changes(&kit), said("DELETE", &[2]), "v{version}");
        let both = delta(&kit, keys(&kit, &[Some(1), Some(3)], "x"), Vec::new());
        kit.commit(vec![operation(both)]);
        assert_eq!(changes(&kit), said("DELETE", &[3]), "v{version}");
    }
}

#[test]
fn keys_do_not_delete_rows_of_their_own_snapshot() {
    for version in [2, 3] {
        let mut kit = Kit::partitioned(version, &[]);
        append(&mut kit, "x", &[1, 2]);
        let rows = [data(&kit, "x", &[1, 5]), keys(&kit, &[Some(1), Some(5)], "x")];
        let fed = delta(&kit, Receipt::concat(rows.to_vec()).unwrap(), Vec::new());
        kit.commit(vec![operation(fed)]);
        // In version 2, the row that comes equals the one that goes.
        let expected = if version == 2 { vec![] } else { said("DELETE", &[1]) };
        let inserted = if version == 2 { vec![5] } else { vec![1, 5] };
        assert_eq!(changes(&kit), [expected, said("INSERT", &inserted)].concat(), "v{version}");
    }
}
