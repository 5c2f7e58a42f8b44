//! Commits that others were faster than.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::ErrorKind;
use floeberg_io::Store as _;

use super::commits::{append, commit, deleting, file, plain_table, request, rows, stable_table};
use crate::change::{self, NewFile};
use crate::commit::{Commit, CommitRequest, find_commit};
use crate::metadata::NamingScheme;
use crate::tests::tables::{ROOT, Tables};
use crate::wire::Operation;
use crate::{Checkout, Table};

fn files_of(tables: &Tables, folder: &str) -> usize {
    tables.store.list(&format!("{ROOT}/{folder}")).map_or(0, |files| files.len())
}

#[test]
fn deletes_of_other_rows_of_a_fragment_are_united() {
    let tables = Tables::default();
    let table = plain_table(&tables, NamingScheme::V2);
    let ours = Commit::begin(deleting(&table, 0, &[1, 2])).unwrap();
    Commit::begin(deleting(&table, 0, &[7])).unwrap().attempt().unwrap();
    Commit::begin(deleting(&table, 1, &[7])).unwrap().attempt().unwrap();
    let done = ours.attempt().unwrap().table;
    assert_eq!((done.version(), done.deleted_rows(0).unwrap()), (4, rows(&[1, 2, 7])));
    assert_eq!(done.deleted_rows(1).unwrap(), rows(&[7]));
}

#[test]
fn a_row_that_both_delete_is_a_conflict_that_can_be_made_anew() {
    let tables = Tables::default();
    let table = plain_table(&tables, NamingScheme::V2);
    let ours = Commit::begin(deleting(&table, 0, &[1, 2])).unwrap();
    Commit::begin(deleting(&table, 0, &[2])).unwrap().attempt().unwrap();
    let error = ours.attempt().unwrap_err();
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::CommitConflict, true));
    assert!(error.message().contains("lost or changed the row 2"), "{error}");
    assert!(ours.abandon());
    assert_eq!((files_of(&tables, "_deletions"), files_of(&tables, "_transactions")), (1, 1));
}

#[test]
fn a_fragment_that_is_gone_is_a_conflict() {
    let tables = Tables::default();
    let table = plain_table(&tables, NamingScheme::V2);
    let ours = Commit::begin(deleting(&table, 0, &[1])).unwrap();
    let all: Vec<u32> = (0..10).collect();
    Commit::begin(deleting(&table, 0, &all)).unwrap().attempt().unwrap();
    let error = ours.attempt().unwrap_err();
    assert!(error.is_retryable() && error.message().contains("is gone"), "{error}");
}

#[test]
fn an_update_follows_one_of_other_rows_and_keeps_ids() {
    let tables = Tables::default();
    let table = stable_table(&tables);
    let update = |name: &str, row: u32| {
        let moved = NewFile { row_ids: vec![u64::from(row)], ..file(name, 1) };
        let operation = change::update(&table, &[moved], &[]).unwrap();
        let deletes = [(0, rows(&[row]))].into();
        Commit::begin(CommitRequest { deletes, ..request(&table, operation) }).unwrap()
    };
    let (ours, theirs) = (update("ours", 1), update("theirs", 2));
    theirs.attempt().unwrap();
    let done = ours.attempt().unwrap().table;
    assert_eq!(done.addresses(&[1, 2]).unwrap(), [Some(3 << 32), Some(2 << 32)]);
    assert_eq!(done.count().unwrap(), 20);
}

#[test]
fn rows_that_were_written_for_a_column_that_was_replaced_are_refused() {
    let tables = Tables::default();
    let table = plain_table(&tables, NamingScheme::V2);
    let ours = Commit::begin(request(&table, change::append(&table, &[file("ours", 1)]).unwrap())).unwrap();
    let dropped = commit(&table, change::drop_columns(&table, &["name".to_owned()]).unwrap());
    let field = arrow_schema::Field::new("name", arrow_schema::DataType::Utf8, true);
    let again = change::NewColumn { field, replaces: None };
    commit(&dropped, change::add_columns(&dropped, &[again], &BTreeMap::new()).unwrap());
    let error = ours.attempt().unwrap_err();
    assert!(error.is_retryable() && error.message().contains("was replaced meanwhile"), "{error}");
}

#[test]
fn inserts_of_missing_keys_are_made_anew_where_rows_were_added() {
    let tables = Tables::default();
    let table = plain_table(&tables, NamingScheme::V2);
    let operation = change::update(&table, &[file("ours", 1)], &[]).unwrap();
    let strict = CommitRequest { inserts_missing_keys: true, ..request(&table, operation.clone()) };
    let (strict, loose) =
        (Commit::begin(strict).unwrap(), Commit::begin(request(&table, operation)).unwrap());
    append(&table, "theirs", 1);
    let error = strict.attempt().unwrap_err();
    assert!(error.is_retryable() && error.message().contains("added rows"), "{error}");
    assert_eq!(loose.attempt().unwrap().table.count().unwrap(), 22);
}

#[test]
fn inserts_of_missing_keys_follow_rows_that_turned_out_to_have_others() {
    let tables = Tables::default();
    let table = plain_table(&tables, NamingScheme::V2);
    let operation = change::update(&table, &[file("ours", 1)], &[]).unwrap();
    let ours = CommitRequest { inserts_missing_keys: true, ..request(&table, operation) };
    let ours = Commit::begin(ours).unwrap();
    let first = append(&table, "first", 1);
    assert!(ours.attempt().is_err());
    assert_eq!(ours.adds_rows(), Some(2));
    let second = append(&first, "second", 1);
    // Versions after those that were looked at are to be looked at too.
    ours.allow_added_rows(2);
    assert!(ours.attempt().is_err());
    assert_eq!(ours.adds_rows(), Some(3));
    ours.allow_added_rows(second.version());
    let done = ours.attempt().unwrap();
    assert_eq!((done.is_here, done.table.version(), done.table.count().unwrap()), (true, 4, 23));
    assert_eq!(ours.adds_rows(), None);
}

#[test]
fn a_commit_follows_versions_that_do_not_matter() {
    let tables = Tables::default();
    let table = plain_table(&tables, NamingScheme::V1);
    let ours = Commit::begin(request(&table, change::append(&table, &[file("ours", 1)]).unwrap())).unwrap();
    let last = append(&append(&table, "one", 1), "two", 1);
    let schema_change = change::drop_columns(&last, &["name".to_owned()]).unwrap();
    commit(&last, schema_change);
    let done = ours.attempt().unwrap();
    assert!(done.is_here);
    assert_eq!((done.table.version(), done.table.count().unwrap()), (5, 23));
    assert_eq!(done.table.transaction().unwrap().unwrap().read_version, 4);
    assert_eq!(done.table.schema().fields().len(), 1);
}

#[test]
fn an_overwrite_meanwhile_refuses_an_append() {
    let tables = Tables::default();
    let table = plain_table(&tables, NamingScheme::V2);
    let ours = Commit::begin(request(&table, change::append(&table, &[file("ours", 1)]).unwrap())).unwrap();
    let schema = table.schema().to_arrow().unwrap();
    let overwrite = change::overwrite(Some(&table), &schema, "2.1", &[], Vec::new()).unwrap();
    commit(&table, Operation::Overwrite(overwrite));
    let error = ours.attempt().unwrap_err();
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::CommitConflict, false));
    assert!(error.message().contains("An Overwrite of version 2"), "{error}");
}

#[test]
fn a_key_is_committed_once() {
    let tables = Tables::default();
    let table = plain_table(&tables, NamingScheme::V2);
    let keyed = |table: &Table, operation: Operation| {
        Commit::begin(CommitRequest { key: Some("job".to_owned()), ..request(table, operation) }).unwrap()
    };
    let append_to = |table: &Table, name: &str| change::append(table, &[file(name, 1)]).unwrap();
    let (first, second) = (keyed(&table, append_to(&table, "a")), keyed(&table, append_to(&table, "b")));
    let done = first.attempt().unwrap().table;
    // The other was begun before, and finds it on its way.
    let found = second.attempt().unwrap();
    assert_eq!((found.is_here, found.table.version()), (false, 2));
    // One that begins later finds it by the file of the transaction.
    let later = append(&done, "c", 1);
    let (earlier, operation) = find_commit(&later, "job", Some("Append")).unwrap().unwrap();
    assert_eq!((earlier.version(), operation.name()), (2, "Append"));
    assert_eq!(later.count().unwrap(), 22);
    let error = find_commit(&later, "job", Some("Delete")).unwrap_err();
    assert!(error.message().contains("belongs to an earlier operation, Append"), "{error}");
    assert!(find_commit(&later, "other", None).unwrap().is_none());
}

#[test]
fn many_that_append_and_delete_at_once_lose_nothing() {
    let tables = Tables::default();
    stable_table(&tables);
    let tables = Arc::new(tables);
    let work = |number: u32| {
        let tables = Arc::clone(&tables);
        move || {
            for round in 0..5 {
                let table = tables.open(Checkout::default()).unwrap();
                let name = format!("{number}-{round}");
                let appended =
                    Commit::begin(request(&table, change::append(&table, &[file(&name, 2)]).unwrap()));
                until_done(&appended.unwrap());
                // Each deletes rows of its own.
                let table = tables.open(Checkout { version: Some(1), ..Checkout::default() }).unwrap();
                until_done(
                    &Commit::begin(deleting(&table, u64::from(number % 2), &[number / 2 * 5 + round]))
                        .unwrap(),
                );
            }
        }
    };
    let threads: Vec<_> = (0..4).map(|number| std::thread::spawn(work(number))).collect();
    for thread in threads {
        thread.join().unwrap();
    }
    let table = tables.open(Checkout::default()).unwrap();
    // All rows of both first fragments are gone.
    assert_eq!((table.version(), table.count().unwrap()), (41, 40));
    assert_eq!(table.manifest().fragments.ids(), (2..22).collect::<Vec<_>>());
    let addresses = table.addresses(&(20..60).collect::<Vec<_>>()).unwrap();
    assert!(addresses.iter().all(Option::is_some));
    assert_eq!((table.manifest().head.next_row_id, files_of(&tables, "_transactions")), (60, 41));
}

fn until_done(commit: &Commit) {
    loop {
        match commit.attempt() {
            Ok(done) => {
                assert!(done.is_here);
                return;
            }
            Err(error) => assert!(error.is_retryable() && error.message().contains("first"), "{error}"),
        }
    }
}
