//! Deletes, row ids and versions of rows.

use std::collections::BTreeSet;

use corpus::lance_cases;
use floeberg_lance::row_ids::Segment;
use floeberg_lance::{Checkout, Table};

use super::{open, versions};

/// The addresses of rows that are not deleted.
pub(super) fn live(table: &Table) -> BTreeSet<u64> {
    let fragments = &table.manifest().fragments;
    let mut live = BTreeSet::new();
    for (place, id) in fragments.ids().iter().enumerate() {
        let deleted = table.deleted_rows(place).unwrap();
        let rows = (0..fragments.physical_rows()[place]).filter(|row| !deleted.contains(*row as u32));
        live.extend(rows.map(|row| id << 32 | row));
    }
    live
}

#[test]
fn every_version_has_as_many_rows_as_deletion_files_leave() {
    for case in lance_cases() {
        for (table, expected) in versions(&case) {
            assert_eq!(Some(live(&table).len() as u64), expected["row_count"].as_u64(), "{}", case.name);
        }
    }
}

#[test]
fn row_ids_and_addresses_are_those_that_pylance_sees() {
    let mut rows_seen = 0;
    for case in lance_cases() {
        let table = open(&case, Checkout::default());
        let Some(rows) = case.expected["row_ids"]["rows"].as_array() else { continue };
        let columns: Vec<_> = case.expected["row_ids"]["columns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap())
            .collect();
        let at = |name: &str| columns.iter().position(|column| *column == name);
        let (id, address) = (at("_rowid").unwrap(), at("_rowaddr").unwrap());
        let number = |row: &serde_json::Value, column: usize| row[column].as_u64().unwrap();
        let addresses: BTreeSet<_> = rows.iter().map(|row| number(row, address)).collect();
        assert_eq!(live(&table), addresses, "{}", case.name);
        rows_seen += rows.len();
        let (Some(created), Some(updated)) =
            (at("_row_created_at_version"), at("_row_last_updated_at_version"))
        else {
            assert!(rows.iter().all(|row| row[id] == row[address]), "{}", case.name);
            continue;
        };
        let ids: Vec<_> = rows.iter().map(|row| number(row, id)).collect();
        let found = table.addresses(&ids).unwrap();
        for (row, found) in rows.iter().zip(found) {
            assert_eq!(found, Some(number(row, address)), "{}: {row}", case.name);
            let place = table
                .manifest()
                .fragments
                .ids()
                .iter()
                .position(|id| *id == number(row, address) >> 32)
                .unwrap();
            let offset = number(row, address) & 0xffff_ffff;
            assert_eq!(table.row_ids(place).unwrap().unwrap().get(offset), Some(number(row, id)));
            assert_eq!(
                table.created_at_versions(place).unwrap().unwrap().get(offset),
                Some(number(row, created))
            );
            assert_eq!(
                table.last_updated_at_versions(place).unwrap().unwrap().get(offset),
                Some(number(row, updated))
            );
        }
        // Ids of rows that are deleted lead nowhere.
        let next = table.manifest().head.next_row_id;
        let gone: Vec<_> = (0..next).filter(|id| !ids.contains(id)).collect();
        assert!(!gone.is_empty());
        assert!(table.addresses(&gone).unwrap().iter().all(Option::is_none), "{}", case.name);
    }
    assert!(rows_seen > 500, "{rows_seen}");
}

#[test]
fn segments_of_every_kind_that_pylance_writes_are_read() {
    let mut kinds = BTreeSet::new();
    for case in lance_cases() {
        for (table, _) in versions(&case) {
            for place in 0..table.manifest().fragments.len() {
                let Some(ids) = table.row_ids(place).unwrap() else { continue };
                kinds.extend(ids.segments().iter().map(|segment| match segment {
                    Segment::Range(_) => "range",
                    Segment::RangeWithHoles { .. } => "range with holes",
                    Segment::RangeWithBitmap { .. } => "range with bitmap",
                    Segment::SortedArray(_) => "sorted array",
                    // pylance writes none by itself: rows of an update are in the order of their ids.
                    Segment::Array(_) => "array",
                }));
            }
        }
    }
    assert!(
        kinds.is_superset(&["range", "range with bitmap", "range with holes", "sorted array"].into()),
        "{kinds:?}"
    );
}
