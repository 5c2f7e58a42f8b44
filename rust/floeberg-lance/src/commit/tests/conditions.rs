//! Commits that ask for more than their operation does.

use floeberg_core::ErrorKind;
use floeberg_io::Store as _;

use super::commits::{append, commit, file, plain_table, request};
use crate::change;
use crate::commit::{Commit, CommitRequest, Conditions, check_written};
use crate::metadata::NamingScheme;
use crate::tests::tables::{ROOT, Tables};
use crate::{Checkout, Table};

fn set(key: &str, value: Option<&str>) -> (String, Option<String>) {
    (key.to_owned(), value.map(str::to_owned))
}

fn appending(table: &Table, name: &str, conditions: Conditions) -> Commit {
    let operation = change::append(table, &[file(name, 1)]).unwrap();
    Commit::begin(CommitRequest { conditions, ..request(table, operation) }).unwrap()
}

fn setting(expected: Option<&str>, value: Option<&str>) -> Conditions {
    Conditions {
        expected: vec![set("at", expected)],
        settings: vec![set("at", value)],
        ..Conditions::default()
    }
}

#[test]
fn settings_come_with_rows_in_one_version() {
    let tables = Tables::default();
    let table = plain_table(&tables, NamingScheme::V2);
    let done = appending(&table, "a", setting(None, Some("1"))).attempt().unwrap().table;
    assert_eq!((done.version(), done.count().unwrap()), (2, 21));
    let opened = tables.open(Checkout::default()).unwrap();
    assert_eq!(opened.manifest().head.config, [("at".to_owned(), "1".to_owned())]);
    assert_eq!(opened.manifest().head.writer_feature_flags & 8, 8);
    let done = appending(&opened, "b", setting(Some("1"), None)).attempt().unwrap().table;
    assert_eq!((done.manifest().head.config.len(), done.manifest().head.writer_feature_flags & 8), (0, 0));
}

#[test]
fn of_two_commits_that_begin_with_a_setting_one_is_made() {
    let tables = Tables::default();
    let table = plain_table(&tables, NamingScheme::V2);
    let commits = ["a", "b"].map(|name| appending(&table, name, setting(None, Some(name))));
    commits[0].attempt().unwrap();
    let error = commits[1].attempt().unwrap_err();
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::CommitConflict, false));
    assert!(error.message().contains("the setting \"at\" was changed"), "{error}");
    assert!(commits[1].abandon() && !commits[1].is_raced());
    let now = tables.open(Checkout::default()).unwrap();
    assert_eq!((now.version(), now.count().unwrap()), (2, 21));
    // Other settings do not matter.
    let ours = appending(&now, "c", setting(Some("a"), Some("c")));
    commit(&now, change::update_config(vec![set("other", Some("x"))]).unwrap());
    let done = ours.attempt().unwrap().table;
    assert_eq!(done.manifest().head.config.len(), 2);
}

#[test]
fn a_data_file_is_added_once() {
    let tables = Tables::default();
    let table = plain_table(&tables, NamingScheme::V2);
    let again = appending(&table, "a", Conditions::default());
    let beside = appending(&table, "b", Conditions::default());
    append(&table, "a", 1);
    let error = again.attempt().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert!(error.message().contains("version 2 added the data file"), "{error}");
    assert_eq!(beside.attempt().unwrap().table.count().unwrap(), 22);
}

#[test]
fn what_is_replaced_may_not_have_been_changed() {
    let tables = Tables::default();
    let table = plain_table(&tables, NamingScheme::V2);
    let strict = |table: &Table| {
        let operation = change::delete("x");
        let conditions = Conditions { keeps_rows: true, ..Conditions::default() };
        Commit::begin(CommitRequest { conditions, ..request(table, operation) }).unwrap()
    };
    let ours = strict(&table);
    let table = commit(&table, change::update_config(vec![set("other", Some("x"))]).unwrap());
    assert_eq!(ours.attempt().unwrap().table.version(), 3);
    let ours = strict(&table);
    let newest = tables.open(Checkout::default()).unwrap();
    append(&newest, "a", 1);
    let error = ours.attempt().unwrap_err();
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::CommitConflict, false));
}

#[test]
fn files_are_there_as_they_were_written() {
    let tables = Tables::default();
    tables.put("data/a.lance", "12345");
    let check = |name: &str, size| check_written(&tables.store, ROOT, &[(name.to_owned(), size)]);
    check("a.lance", 5).unwrap();
    assert_eq!(check("a.lance", 4).unwrap_err().kind(), ErrorKind::InvalidData);
    assert_eq!(check("b.lance", 5).unwrap_err().kind(), ErrorKind::NotFound);
    assert!(tables.store.exists(&format!("{ROOT}/data/a.lance")).unwrap());
}
