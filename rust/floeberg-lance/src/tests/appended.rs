//! Fragments with rows that were appended since a version.

use std::sync::Arc;

use floeberg_core::{Cancel, ErrorKind};

use super::tables::{ROOT, Tables};
use crate::change::{self, CompactionGroup, NewFile};
use crate::commit::{Commit, CommitRequest, CreateRequest, create_table};
use crate::wire::Operation;
use crate::{Appended, Checkout, Table, appended_since};

fn file(name: &str, rows: u64) -> NewFile {
    NewFile { name: name.to_owned(), rows, size_bytes: 100, row_ids: Vec::new() }
}

fn table(tables: &Tables) -> Table {
    for name in ["first", "a", "b", "c", "d", "e", "f", "g", "h"] {
        // A restored version names files that are there.
        tables.put(&format!("data/{name}"), "x");
    }
    let store: Arc<dyn floeberg_io::Store> = Arc::new(tables.store.clone());
    let columns = vec![arrow_schema::Field::new("id", arrow_schema::DataType::Int64, true)];
    let schema = arrow_schema::Schema::new(columns);
    let request = CreateRequest {
        overwrite: change::overwrite(None, &schema, "2.2", &[file("first", 10)], Vec::new()).unwrap(),
        data_storage_version: "2.2".to_owned(),
        ..CreateRequest::default()
    };
    create_table(&store, ROOT, request).unwrap()
}

fn commit(table: &Table, operation: Operation) -> Table {
    let request = CommitRequest {
        table: table.clone(),
        operation,
        deletes: crate::commit::RowsOf::new(),
        properties: Vec::new(),
        key: None,
        inserts_missing_keys: false,
        conditions: crate::commit::Conditions::default(),
    };
    Commit::begin(request).unwrap().attempt().unwrap().table
}

fn append(table: &Table, name: &str) -> Table {
    commit(table, change::append(table, &[file(name, 10)]).unwrap())
}

fn since(table: &Table, version: u64) -> (Vec<u64>, Vec<u64>) {
    match appended_since(table, version, &Cancel::default()).unwrap() {
        Appended::Rows { fragments, mixed } => (fragments, mixed),
        other @ Appended::Otherwise { .. } => panic!("{other:?}"),
    }
}

fn compact(table: &Table, places: &[usize], name: &str) -> Table {
    let rows = places.len() as u64 * 10;
    let group = CompactionGroup { places: places.to_vec(), rows };
    commit(table, change::compact(table, &[(group, vec![file(name, rows)])]).unwrap())
}

#[test]
fn appends_are_told_by_their_fragments() {
    let tables = Tables::default();
    let first = table(&tables);
    let second = append(&first, "a");
    let third = append(&second, "b");
    let fourth = commit(&third, change::update_config(vec![("a".to_owned(), Some(String::new()))]).unwrap());
    assert_eq!(since(&fourth, 1), (vec![1, 2], vec![]));
    assert_eq!(since(&fourth, 2), (vec![2], vec![]));
    assert_eq!(since(&fourth, 3), (vec![], vec![]));
    assert_eq!(since(&fourth, 4), (vec![], vec![]));
    assert_eq!(since(&second, 1), (vec![1], vec![]));
    let error = appended_since(&second, 3, &Cancel::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
}

#[test]
fn compactions_keep_new_rows_apart_or_mix_them() {
    let tables = Tables::default();
    let first = append(&table(&tables), "a");
    let copied = first.version();
    let newer = append(&append(&first, "b"), "c");
    // Old ones alone, then new ones alone, then both.
    let old = compact(&newer, &[0, 1], "d");
    assert_eq!(since(&old, copied), (vec![2, 3], vec![]));
    let places: Vec<usize> =
        (0..3).filter(|place| [2, 3].contains(&old.manifest().fragments.ids()[*place])).collect();
    let new = compact(&old, &places, "e");
    let (fragments, mixed) = since(&new, copied);
    assert_eq!((fragments.len(), mixed.len()), (1, 0));
    let both = compact(&new, &[0, 1], "f");
    let (fragments, mixed) = since(&both, copied);
    assert_eq!((fragments.len(), mixed.len()), (0, 1));
    let again = compact(&append(&both, "g"), &[0], "h");
    let (fragments, mixed) = since(&again, copied);
    assert_eq!((fragments.len(), mixed.len()), (1, 1));
}

#[test]
fn everything_else_is_told_with_its_version() {
    let tables = Tables::default();
    let first = append(&table(&tables), "a");
    let overwrite = |table: &Table| {
        let schema = table.schema().to_arrow().unwrap();
        let files = [file("new", 1)];
        Operation::Overwrite(change::overwrite(Some(table), &schema, "2.2", &files, Vec::new()).unwrap())
    };
    let replaced = commit(&first, overwrite(&first));
    let newer = append(&replaced, "b");
    let otherwise = Appended::Otherwise { version: 3, operation: "Overwrite" };
    assert_eq!(appended_since(&newer, 2, &Cancel::default()).unwrap(), otherwise);
    assert_eq!(since(&newer, 3).0.len(), 1);
    let restored = commit(
        &newer,
        Operation::Restore(crate::wire::Restore { version: 2, ..crate::wire::Restore::default() }),
    );
    let otherwise = Appended::Otherwise { version: 5, operation: "Restore" };
    assert_eq!(appended_since(&restored, 4, &Cancel::default()).unwrap(), otherwise);
    assert_eq!(tables.open(Checkout::default()).unwrap().version(), 5);
}

#[test]
fn a_version_that_is_gone_is_told() {
    let tables = Tables::default();
    let first = table(&tables);
    let third = append(&append(&first, "a"), "b");
    let gone = first.versions().unwrap()[1].path(ROOT);
    floeberg_io::Store::remove(&tables.store, &gone).unwrap();
    let error = appended_since(&third, 1, &Cancel::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.message().contains("version 2"), "{error}");
}
