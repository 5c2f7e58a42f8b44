//! Versions that commits make on a quiet table.

use std::collections::BTreeMap;

use floeberg_core::ErrorKind;
use floeberg_io::Store as _;
use roaring::RoaringBitmap;

use super::super::attempt::KEY;
use super::super::{Commit, CommitRequest, Conditions, CreateRequest, create_table, find_commit};
use crate::build::highest_field_id;
use crate::change::{self, NewFile};
use crate::metadata::NamingScheme;
use crate::row_ids::{RowIds, RowVersions};
use crate::tests::tables::{ROOT, Tables, fragment, head, manifest};
use crate::wire::{LineageOf, ManifestHead, Operation, lookup};
use crate::{Checkout, Table};

pub(super) fn file(name: &str, rows: u64) -> NewFile {
    NewFile { name: name.to_owned(), rows, size_bytes: 100, row_ids: Vec::new() }
}

pub(super) fn rows(rows: &[u32]) -> RoaringBitmap {
    rows.iter().copied().collect()
}

pub(super) fn request(table: &Table, operation: Operation) -> CommitRequest {
    CommitRequest {
        table: table.clone(),
        operation,
        deletes: super::super::RowsOf::new(),
        properties: Vec::new(),
        key: None,
        inserts_missing_keys: false,
        conditions: Conditions::default(),
    }
}

pub(super) fn commit(table: &Table, operation: Operation) -> Table {
    Commit::begin(request(table, operation)).unwrap().attempt().unwrap().table
}

pub(super) fn append(table: &Table, name: &str, rows: u64) -> Table {
    commit(table, change::append(table, &[file(name, rows)]).unwrap())
}

pub(super) fn deleting(table: &Table, fragment: u64, deleted: &[u32]) -> CommitRequest {
    CommitRequest { deletes: [(fragment, rows(deleted))].into(), ..request(table, change::delete("x")) }
}

/// A table of two fragments of ten rows, with stable row ids.
pub(super) fn stable_table(tables: &Tables) -> Table {
    let store: std::sync::Arc<dyn floeberg_io::Store> = std::sync::Arc::new(tables.store.clone());
    let schema = arrow_schema::Schema::new(vec![
        arrow_schema::Field::new("id", arrow_schema::DataType::Int64, true),
        arrow_schema::Field::new("name", arrow_schema::DataType::Utf8, true),
    ]);
    let files = [file("a", 10), file("b", 10)];
    let request = CreateRequest {
        overwrite: change::overwrite(None, &schema, "2.2", &files, Vec::new()).unwrap(),
        data_storage_version: "2.2".to_owned(),
        has_stable_row_ids: true,
        ..CreateRequest::default()
    };
    create_table(&store, ROOT, request).unwrap()
}

pub(super) fn plain_table(tables: &Tables, scheme: NamingScheme) -> Table {
    tables.write("", scheme, manifest(head(1), &[fragment(0, 10), fragment(1, 10)]));
    tables.open(Checkout::default()).unwrap()
}

pub(super) fn ids(table: &Table, place: usize) -> Vec<u64> {
    table.row_ids(place).unwrap().unwrap().slice(0..table.manifest().fragments.physical_rows()[place])
}

fn versions(lineage: LineageOf<'_>, rows: u64) -> Vec<u64> {
    let LineageOf::Inline(bytes) = lineage else { panic!("no versions") };
    RowVersions::parse(bytes).unwrap().slice(0..rows)
}

#[test]
fn a_table_begins_with_one_version() {
    let tables = Tables::default();
    let table = stable_table(&tables);
    assert_eq!((table.version(), table.count().unwrap()), (1, 20));
    assert_eq!(table.manifest().fragments.ids(), [0, 1]);
    assert_eq!((ids(&table, 0), ids(&table, 1)), ((0..10).collect(), (10..20).collect()));
    let head = &table.manifest().head;
    assert_eq!((head.next_row_id, head.max_fragment_id), (20, Some(1)));
    assert_eq!((head.reader_feature_flags, head.writer_feature_flags), (2, 2));
    assert!(table.manifest_location().ends_with("18446744073709551614.manifest"));
    let store: std::sync::Arc<dyn floeberg_io::Store> = std::sync::Arc::new(tables.store.clone());
    let error = create_table(&store, ROOT, CreateRequest::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
}

#[test]
fn an_append_gives_new_ids_of_fragments_and_rows() {
    for scheme in [NamingScheme::V1, NamingScheme::V2] {
        let tables = Tables::default();
        let table = append(&plain_table(&tables, scheme), "new", 3);
        assert_eq!((table.version(), table.count().unwrap()), (2, 23));
        assert_eq!(table.manifest().fragments.ids(), [0, 1, 2]);
        assert_eq!(table.versions().unwrap()[1].scheme, scheme);
        assert_eq!(tables.open(Checkout::default()).unwrap().version(), 2);
        assert_eq!(table.manifest().head.max_fragment_id, Some(2));
    }
    let table = append(&stable_table(&Tables::default()), "new", 3);
    assert_eq!((ids(&table, 2), table.manifest().head.next_row_id), (vec![20, 21, 22], 23));
    let fragments = &table.manifest().fragments;
    assert_eq!(versions(fragments.created_at_versions(2), 3), [2; 3]);
    assert_eq!(versions(fragments.created_at_versions(0), 10), [1; 10]);
}

#[test]
fn a_fragment_keeps_its_files_when_rows_of_it_are_deleted() {
    let tables = Tables::default();
    let table = plain_table(&tables, NamingScheme::V2);
    let done = Commit::begin(deleting(&table, 1, &[2, 5])).unwrap().attempt().unwrap().table;
    let again = Commit::begin(deleting(&done, 1, &[0])).unwrap().attempt().unwrap().table;
    assert_eq!(
        (done.deleted_rows(1).unwrap(), again.deleted_rows(1).unwrap()),
        (rows(&[2, 5]), rows(&[0, 2, 5]))
    );
    assert_eq!(done.fragment(1).unwrap().files, table.fragment(1).unwrap().files);
    assert_eq!(done.manifest().head.reader_feature_flags, 1);
    // All rows: the fragment goes.
    let all: Vec<u32> = (0..10).collect();
    let done = Commit::begin(deleting(&again, 0, &all)).unwrap().attempt().unwrap().table;
    assert_eq!(done.manifest().fragments.ids(), [1]);
    // An id is not given again.
    assert_eq!(append(&done, "new", 1).manifest().fragments.ids(), [1, 2]);
}

#[test]
fn rows_that_are_not_there_are_not_deleted() {
    let table = plain_table(&Tables::default(), NamingScheme::V2);
    for (fragment, row) in [(0, 10), (7, 0)] {
        let error = Commit::begin(deleting(&table, fragment, &[row])).unwrap().attempt().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
    }
}

#[test]
fn a_row_that_is_updated_keeps_its_id_and_the_version_of_its_creation() {
    let table = append(&stable_table(&Tables::default()), "later", 5);
    let moved = NewFile { row_ids: vec![21, 3], ..file("moved", 3) };
    let operation = change::update(&table, &[moved], &["name".to_owned()]).unwrap();
    let deletes = [(0, rows(&[3])), (2, rows(&[1]))].into();
    let request = CommitRequest { deletes, ..request(&table, operation) };
    let done = Commit::begin(request).unwrap().attempt().unwrap().table;
    assert_eq!(ids(&done, 3), [21, 3, 25]);
    assert_eq!(done.manifest().head.next_row_id, 26);
    let fragments = &done.manifest().fragments;
    assert_eq!(versions(fragments.created_at_versions(3), 3), [2, 1, 3]);
    assert_eq!(versions(fragments.last_updated_at_versions(3), 3), [3; 3]);
    assert_eq!(done.addresses(&[3, 21, 25]).unwrap(), [Some(3 << 32 | 1), Some(3 << 32), Some(3 << 32 | 2)]);
    assert_eq!(done.count().unwrap(), 26);
}

#[test]
fn an_id_that_no_changed_fragment_has_is_refused() {
    let table = stable_table(&Tables::default());
    let moved = NewFile { row_ids: vec![15], ..file("moved", 1) };
    let operation = change::update(&table, &[moved], &[]).unwrap();
    let request = CommitRequest { deletes: [(0, rows(&[3]))].into(), ..request(&table, operation) };
    let error = Commit::begin(request).unwrap().attempt().unwrap_err();
    assert!(error.message().contains("found 15"), "{error}");
}

#[test]
fn an_overwrite_replaces_everything_but_ids_that_were_given() {
    let table = stable_table(&Tables::default());
    let schema = arrow_schema::Schema::new(vec![
        arrow_schema::Field::new("other", arrow_schema::DataType::Utf8, true),
        arrow_schema::Field::new("id", arrow_schema::DataType::Int64, true),
        arrow_schema::Field::new("name", arrow_schema::DataType::Int8, true),
    ]);
    let settings = vec![("k".to_owned(), "v".to_owned())];
    let overwrite = change::overwrite(Some(&table), &schema, "2.2", &[file("c", 4)], settings).unwrap();
    let done = commit(&table, Operation::Overwrite(overwrite));
    assert_eq!(done.manifest().fragments.ids(), [2]);
    assert_eq!(ids(&done, 0), [20, 21, 22, 23]);
    let columns: Vec<_> =
        done.schema().fields().iter().map(|field| (field.id, field.name.as_str())).collect();
    // The column `name` has another type now, and so another id.
    assert_eq!(columns, [(2, "other"), (0, "id"), (3, "name")]);
    assert_eq!(done.manifest().head.config, [("k".to_owned(), "v".to_owned())]);
    assert_eq!(done.manifest().head.writer_feature_flags, 10);
}

#[test]
fn a_restored_version_gives_no_id_twice() {
    let tables = Tables::default();
    // Files that are gone are not restored.
    for name in ["a", "b"] {
        tables.put(&format!("data/{name}"), "x");
    }
    let first = stable_table(&tables);
    let second = append(&first, "new", 3);
    let restore = Operation::Restore(crate::wire::Restore { version: 1, ..Default::default() });
    let restored = commit(&second, restore);
    assert_eq!((restored.version(), restored.count().unwrap()), (3, 20));
    let head = &restored.manifest().head;
    assert_eq!((head.next_row_id, head.max_fragment_id), (23, Some(2)));
    let after = append(&restored, "more", 1);
    assert_eq!((after.manifest().fragments.ids(), ids(&after, 2)), (&[0, 1, 3][..], vec![23]));
    let missing = Operation::Restore(crate::wire::Restore { version: 9, ..Default::default() });
    let error = Commit::begin(request(&after, missing)).unwrap().attempt().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[test]
fn a_column_is_added_beside_the_others_and_dropped_without_a_write() {
    let table = stable_table(&Tables::default());
    let column = change::NewColumn {
        field: arrow_schema::Field::new("twice", arrow_schema::DataType::Int64, true),
        replaces: None,
    };
    let files = [(0, file("x", 10)), (1, file("y", 10))].into();
    let added = commit(&table, change::add_columns(&table, std::slice::from_ref(&column), &files).unwrap());
    let files: Vec<_> =
        added.fragment(0).unwrap().files.into_iter().map(|file| (file.path, file.fields)).collect();
    assert_eq!(files, [("a".to_owned(), vec![0, 1]), ("x".to_owned(), vec![2])]);
    let dropped = commit(&added, change::drop_columns(&added, &["twice".to_owned()]).unwrap());
    assert_eq!(dropped.fragment(0).unwrap().files.len(), 1);
    let dropped = commit(&dropped, change::drop_columns(&dropped, &["name".to_owned()]).unwrap());
    // An id that a file has is not given again.
    assert_eq!(highest_field_id(dropped.manifest()), 1);
    let again = commit(&dropped, change::add_columns(&dropped, &[column], &BTreeMap::new()).unwrap());
    assert_eq!(again.schema().column("twice").unwrap().id, 2);
    assert_eq!(again.fragment(0).unwrap().files.len(), 1);
    let error = change::add_columns(&again, &[], &[(0, file("z", 9))].into()).unwrap_err();
    assert!(error.message().contains("10 rows of fragment 0"), "{error}");
}

#[test]
fn settings_are_set_and_removed() {
    let table = plain_table(&Tables::default(), NamingScheme::V2);
    let entry = |key: &str, value: Option<&str>| (key.to_owned(), value.map(str::to_owned));
    let set = change::update_config(vec![entry("a", Some("1")), entry("b", Some("2"))]).unwrap();
    let table = commit(&table, set);
    assert_eq!(table.manifest().head.writer_feature_flags, 8);
    let table = commit(&table, change::update_config(vec![entry("a", None), entry("b", Some("3"))]).unwrap());
    assert_eq!(table.manifest().head.config, [("b".to_owned(), "3".to_owned())]);
    let table = commit(&table, change::update_metadata(vec![entry("k", Some("v"))], false).unwrap());
    assert_eq!(table.schema().metadata(), [("k".to_owned(), "v".to_owned())]);
    assert_eq!(table.count().unwrap(), 20);
    assert!(change::update_config(Vec::new()).is_err());
}

#[test]
fn compacted_rows_keep_their_ids_and_versions() {
    let table = append(&stable_table(&Tables::default()), "later", 5);
    let table = Commit::begin(deleting(&table, 1, &[0, 9])).unwrap().attempt().unwrap().table;
    let groups = change::plan_compaction(&table, 1000, 0.1).unwrap();
    assert_eq!(groups.len(), 1);
    assert_eq!((&groups[0].places[..], groups[0].rows), (&[0, 1, 2][..], 23));
    let files = vec![file("one", 15), file("two", 8)];
    let compacted = commit(&table, change::compact(&table, &[(groups[0].clone(), files)]).unwrap());
    assert_eq!(compacted.manifest().fragments.ids(), [3, 4]);
    assert_eq!(ids(&compacted, 0), (0..10).chain(11..16).collect::<Vec<_>>());
    assert_eq!(ids(&compacted, 1), [16, 17, 18, 20, 21, 22, 23, 24]);
    let fragments = &compacted.manifest().fragments;
    assert_eq!(versions(fragments.created_at_versions(1), 8), [1, 1, 1, 2, 2, 2, 2, 2]);
    assert_eq!(compacted.manifest().head.reader_feature_flags, 2);
    assert_eq!(change::plan_compaction(&compacted, 10, 0.1).unwrap(), []);
    let error = change::compact(&table, &[(groups[0].clone(), vec![file("one", 15)])]).unwrap_err();
    assert!(error.message().contains("23 rows"), "{error}");
}

#[test]
fn the_transaction_is_in_the_manifest_and_in_a_file() {
    let tables = Tables::default();
    let table = plain_table(&tables, NamingScheme::V2);
    let properties = vec![("who".to_owned(), "me".to_owned())];
    let operation = change::append(&table, &[file("new", 1)]).unwrap();
    let key = Some("job-9".to_owned());
    let commit = Commit::begin(CommitRequest { properties, key, ..request(&table, operation) }).unwrap();
    assert!(find_commit(&table, "job-9", None).unwrap().is_none());
    let done = commit.attempt().unwrap().table;
    let transaction = done.transaction().unwrap().unwrap();
    assert_eq!((transaction.read_version, transaction.operation.name()), (1, "Append"));
    assert_eq!(lookup(&transaction.properties, "who").unwrap(), "me");
    assert_eq!(lookup(&transaction.properties, KEY).unwrap(), "job-9");
    let name = &done.manifest().head.transaction_file;
    assert_eq!(*name, format!("1-{}.txn", transaction.uuid));
    let file = tables.store.open(&format!("{ROOT}/_transactions/{name}")).unwrap().read_all(10_000).unwrap();
    assert_eq!(crate::wire::Transaction::parse(&file).unwrap(), transaction);
}

#[test]
fn a_table_without_files_of_transactions_gets_none() {
    let tables = Tables::default();
    let words = ManifestHead { writer_feature_flags: 32, ..head(1) };
    tables.write("", NamingScheme::V2, manifest(words, &[fragment(0, 1)]));
    let done = append(&tables.open(Checkout::default()).unwrap(), "new", 1);
    assert_eq!(done.manifest().head.writer_feature_flags, 32);
    assert_eq!(done.manifest().head.transaction_file, "");
    assert_eq!(done.transaction().unwrap().unwrap().operation.name(), "Append");
    assert!(tables.store.list(&format!("{ROOT}/_transactions")).map_or(true, |files| files.is_empty()));
}

#[test]
fn a_table_with_flags_that_are_not_written_is_refused() {
    let tables = Tables::default();
    let words = ManifestHead { reader_feature_flags: 1024, writer_feature_flags: 1024, ..head(1) };
    tables.write("", NamingScheme::V2, manifest(words, &[fragment(0, 1)]));
    let table = tables.open(Checkout::default()).unwrap();
    let error = Commit::begin(request(&table, change::delete("x"))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("fragment reuse index"), "{error}");
}

#[test]
fn ids_of_rows_are_written_in_few_bytes() {
    let table = stable_table(&Tables::default());
    let LineageOf::Inline(bytes) = table.manifest().fragments.row_ids(1) else { panic!("no ids") };
    assert!(bytes.len() < 10 && RowIds::parse(bytes).unwrap() == RowIds::range(10..20));
}
