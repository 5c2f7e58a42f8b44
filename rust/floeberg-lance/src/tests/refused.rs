//! What would be read wrongly is refused, and the error says what was expected.

use floeberg_core::{Error, ErrorKind};

use super::tables::{column, data_file, fragment, fragment_with_ids, head, manifest, table_of};
use crate::read::{FragmentRows, Rows};
use crate::wire::{DataFile, DeletionFile, Fragment, Manifest, ManifestHead, SchemaField, Transaction};

fn refused(manifest: Manifest) -> Error {
    let error = table_of(manifest).and_then(|table| table.count()).unwrap_err();
    assert!(
        error.context().iter().any(|(key, path)| *key == "path" && path.contains("_versions/")),
        "{error}"
    );
    error
}

fn invalid(manifest: Manifest, expected: &str) {
    let error = refused(manifest);
    assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
    assert!(error.message().contains(expected), "{error}");
}

fn with_file(change: impl Fn(&mut DataFile)) -> Manifest {
    let mut file = data_file("a.lance");
    change(&mut file);
    manifest(head(1), &[Fragment { files: vec![file], ..fragment(0, 10) }])
}

fn with_head(change: impl Fn(&mut ManifestHead)) -> Manifest {
    let mut head = head(1);
    change(&mut head);
    manifest(head, &[fragment(0, 10)])
}

#[test]
fn what_is_whole_is_read() {
    assert_eq!(table_of(with_file(|_| {})).unwrap().count().unwrap(), 10);
}

#[test]
fn columns_of_a_data_file_are_said_for_every_field() {
    invalid(with_file(|file| file.column_indices.clear()), "the column of each of 2 fields");
    invalid(with_file(|file| file.column_indices = vec![0]), "the column of each of 2 fields");
    invalid(with_file(|file| file.fields = vec![1, 1]), "found 1 twice");
    // Tombstones are no fields.
    assert!(table_of(with_file(|file| file.fields = vec![-2, -2])).is_ok());
}

#[test]
fn a_field_is_in_one_file_of_a_fragment() {
    let files = vec![data_file("a.lance"), data_file("b.lance")];
    invalid(manifest(head(1), &[Fragment { files, ..fragment(0, 10) }]), "found 0 in two");
}

#[test]
fn rows_of_a_fragment_are_known() {
    invalid(manifest(head(1), &[fragment(0, 10), fragment(1, 0)]), "the number of rows of a fragment");
    let deletion_file = Some(DeletionFile { num_deleted_rows: 11, ..DeletionFile::default() });
    let mut words = head(1);
    (words.reader_feature_flags, words.writer_feature_flags) = (1, 1);
    invalid(manifest(words, &[Fragment { deletion_file, ..fragment(0, 10) }]), "11 of them deleted");
    invalid(manifest(head(1), &[fragment(0, 1 << 32)]), "at most 2^32 - 1 rows");
}

#[test]
fn fragments_have_ids_of_their_own() {
    invalid(manifest(head(1), &[fragment(3, 1), fragment(1, 1), fragment(3, 1)]), "found 3 twice");
    invalid(manifest(head(1), &[fragment(1 << 32, 1)]), "fragment ids of 32 bits");
    // Out of order they are read in the manifest's order.
    let table = table_of(manifest(head(1), &[fragment(3, 1), fragment(1, 1)])).unwrap();
    assert_eq!(table.manifest().fragments.ids(), [3, 1]);
}

#[test]
fn files_are_of_the_version_that_the_manifest_says() {
    invalid(with_file(|file| file.minor = 0), "as the manifest says, found 2.0");
    let mixed = |manifest: Manifest| {
        let mut mixed = manifest;
        (mixed.head.reader_feature_flags, mixed.head.writer_feature_flags) = (256, 256);
        mixed
    };
    assert!(table_of(mixed(with_file(|file| file.minor = 0))).is_ok());
    invalid(mixed(with_file(|file| file.minor = 9)), "found 2.9");
    let error = refused(with_head(|head| head.data_format.as_mut().unwrap().version = "stable".to_owned()));
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    let error = refused(with_head(|head| head.data_format.as_mut().unwrap().file_format = "csv".to_owned()));
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    assert!(table_of(with_head(|head| head.data_format = None)).is_ok());
}

#[test]
fn the_version_is_that_of_the_name() {
    let tables = super::tables::Tables::default();
    let mut file = manifest(head(7), &[]);
    let bytes = crate::wire::to_file(&mut file, None, None).unwrap();
    tables.put("_versions/18446744073709551614.manifest", bytes);
    let error = tables.open(crate::Checkout::default()).unwrap_err();
    assert!(error.message().contains("expected version 1, as the file's name says, found 7"), "{error}");
}

#[test]
fn a_transaction_is_that_of_the_name_of_its_file() {
    let bytes = |read_version: u64, uuid: &str| {
        let made = Transaction { read_version, uuid: uuid.to_owned(), ..Transaction::default() };
        made.to_bytes()
    };
    for (found, is_right) in [((4, "a-b"), true), ((3, "a-b"), false), ((4, "a-c"), false), ((4, ""), false)]
    {
        let tables = super::tables::Tables::default();
        let head = ManifestHead { transaction_file: "4-a-b.txn".to_owned(), ..head(5) };
        tables.write("", crate::metadata::NamingScheme::V2, manifest(head, &[]));
        tables.put("_transactions/4-a-b.txn", bytes(found.0, found.1));
        let made = tables.open(crate::Checkout::default()).unwrap().transaction();
        assert_eq!(made.is_ok(), is_right, "{found:?}");
        if let Err(error) = made {
            assert_eq!(error.kind(), ErrorKind::InvalidData);
            assert!(error.to_string().contains("_transactions/4-a-b.txn"), "{error}");
        }
    }
}

#[test]
fn fields_are_a_tree() {
    let with_fields = |fields: Vec<SchemaField>| with_head(|head| head.fields.clone_from(&fields));
    let child =
        |id: i32, parent_id: i32| SchemaField { parent_id, ..column(id, &format!("f{id}"), "struct") };
    invalid(with_fields(vec![child(0, 0)]), "the parent of field 0 before it");
    invalid(with_fields(vec![child(1, 2), child(2, -1)]), "the parent of field 1 before it");
    invalid(with_fields(vec![column(0, "a", "int32"), column(0, "b", "int32")]), "found the id 0");
    invalid(with_fields(vec![column(-3, "a", "int32")]), "found the id -3");
    invalid(with_fields(vec![column(0, "a", "int32"), column(1, "a", "int32")]), "\"a\" twice");
    invalid(with_fields(vec![column(0, "a", "")]), "the type of a field");
    let of_a_leaf = SchemaField { parent_id: 0, ..column(1, "b", "int64") };
    let table = table_of(with_fields(vec![column(0, "a", "int64"), of_a_leaf])).unwrap();
    let error = table.schema().to_arrow().unwrap_err();
    assert!(error.to_string().contains("no fields in a field of type \"int64\""), "{error}");
    let deep: Vec<_> = (0..5000).map(|id| child(id, id - 1)).collect();
    assert_eq!(refused(with_fields(deep)).kind(), ErrorKind::LimitExceeded);
}

#[test]
fn words_with_unknown_flags_refuse_what_they_are_about() {
    for flag in [64, 512, 4096, 8192, 16384, 65536, 131_072, 1 << 18, 1 << 63] {
        let error = refused(with_head(|head| {
            (head.reader_feature_flags, head.writer_feature_flags) = (flag, flag);
        }));
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        assert!(error.message().contains(&flag.to_string()), "{error}");
    }
    for flag in [32768, 131_072, 1 << 40] {
        let table = table_of(with_head(|head| {
            head.writer_feature_flags = flag;
            head.max_allocated_field_id = (flag == 32768).then_some(1);
        }));
        let table = table.unwrap();
        let error = crate::metadata::check_writable(table.manifest()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    }
}

#[test]
fn flags_that_go_together_are_set_together() {
    invalid(with_head(|head| head.reader_feature_flags = 256), "mixed data file versions");
    invalid(with_head(|head| head.writer_feature_flags = 1024), "fragment reuse index");
    invalid(with_head(|head| head.max_allocated_field_id = Some(0)), "the highest id of a field");
    invalid(with_head(|head| head.writer_feature_flags = 32768), "the highest id of a field");
}

fn with_ids(fragments: &[Fragment], next_row_id: u64) -> Manifest {
    let words = ManifestHead { reader_feature_flags: 2, writer_feature_flags: 2, next_row_id, ..head(1) };
    manifest(words, fragments)
}

#[test]
fn every_row_has_an_id_below_the_next_one() {
    invalid(with_ids(&[fragment_with_ids(0, &[0, 1]), fragment(1, 2)], 2), "row ids in all 2 fragments");
    let table = table_of(with_ids(&[fragment_with_ids(0, &[5, 1, 9])], 10)).unwrap();
    let addresses = table.addresses(&[9, 5, 4, 1]).unwrap();
    assert_eq!(addresses, [Some(2), Some(0), None, Some(1)]);
    let short = Fragment { physical_rows: 3, ..fragment_with_ids(0, &[0, 1]) };
    let error = table_of(with_ids(&[short], 9)).unwrap().addresses(&[0]).unwrap_err();
    assert!(error.to_string().contains("a row id for each of 3 rows, found 2"), "{error}");
    let low = table_of(with_ids(&[fragment_with_ids(0, &[0, 1])], 1)).unwrap();
    assert!(low.addresses(&[0]).unwrap_err().message().contains("row ids below 1"));
    // Whoever reads rows is told, whatever is selected.
    let request = crate::Scan::new(low).select(vec!["name".to_owned()]).request().unwrap();
    let error = FragmentRows::open(&request, 0, Rows::Range(0..1)).unwrap_err();
    assert!(error.message().contains("row ids below 1"), "{error}");
    let twice = table_of(with_ids(&[fragment_with_ids(0, &[0, 1]), fragment_with_ids(1, &[1])], 2)).unwrap();
    assert!(twice.addresses(&[1]).unwrap_err().message().contains("found it in two"));
    assert_eq!(twice.addresses(&[0]).unwrap(), [Some(0)]);
    // Without the flag, addresses would be taken for ids.
    invalid(manifest(head(1), &[fragment_with_ids(0, &[5])]), "the flag of stable row ids");
    let without = table_of(manifest(head(1), &[fragment(0, 1)])).unwrap();
    assert_eq!(without.addresses(&[0]).unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn a_base_that_nobody_named_is_refused() {
    invalid(with_file(|file| file.base_id = Some(0)), "found the id 0");
}
