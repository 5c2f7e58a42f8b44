#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;

use super::{Differences, incomparable_columns, may_replace_values};
use crate::metadata::NamingScheme;
use crate::tests::tables::{Tables, column, data_file, fragment, head, manifest};
use crate::wire::{DataFile, DeletionFile, Fragment, Manifest, Operation, SchemaField, Update};
use crate::{Checkout, Table};

fn versions(before: Manifest, after: Manifest) -> (Table, Table) {
    let tables = Tables::default();
    tables.write("", NamingScheme::V2, before);
    tables.write("", NamingScheme::V2, after);
    let open = |version| tables.open(Checkout { version: Some(version), ..Checkout::default() }).unwrap();
    (open(1), open(2))
}

fn between(before: &[Fragment], after: &[Fragment]) -> Differences {
    let (before, after) = versions(manifest(head(1), before), manifest(head(2), after));
    Differences::between(&before, &after).unwrap()
}

fn with_file(of: &Fragment, fields: &[i32]) -> Fragment {
    let file = DataFile {
        fields: fields.to_vec(),
        column_indices: (0..).take(fields.len()).collect(),
        ..data_file("new.lance")
    };
    Fragment { files: of.files.iter().cloned().chain([file]).collect(), ..of.clone() }
}

#[test]
fn fragments_that_both_have_as_they_are_do_not_differ() {
    let (kept, gone, new) = (fragment(0, 10), fragment(1, 10), fragment(2, 5));
    let found = between(&[kept.clone(), gone], &[kept, new]);
    assert_eq!(found, Differences { before: vec![1], after: vec![2], ..Differences::default() });
}

#[test]
fn a_fragment_that_lost_rows_has_the_same_rows_and_values() {
    let kept = fragment(0, 10);
    let deletion_file = Some(DeletionFile { num_deleted_rows: 1, ..DeletionFile::default() });
    let found = between(std::slice::from_ref(&kept), &[Fragment { deletion_file, ..kept.clone() }]);
    let ids = vec![0];
    assert_eq!(
        found,
        Differences { before: ids.clone(), after: ids.clone(), same_rows: ids, other_values: vec![] }
    );
}

#[test]
fn values_can_differ_only_where_a_column_of_both_lies_elsewhere() {
    let kept = fragment(0, 10);
    let added = between(std::slice::from_ref(&kept), &[with_file(&kept, &[2])]);
    assert_eq!((added.same_rows, added.other_values), (vec![0], vec![]));
    let mut replaced = with_file(&kept, &[1]);
    replaced.files[0].fields = vec![0, -2];
    let replaced = between(std::slice::from_ref(&kept), &[replaced]);
    assert_eq!((replaced.same_rows, replaced.other_values), (vec![0], vec![0]));
}

#[test]
fn a_fragment_of_other_files_has_other_rows() {
    let mut other = fragment(0, 10);
    other.files[0].path = "other.lance".to_owned();
    let found = between(&[fragment(0, 10)], &[other]);
    assert_eq!(found, Differences { before: vec![0], after: vec![0], ..Differences::default() });
}

fn incomparable(before: Vec<SchemaField>, after: Vec<SchemaField>) -> BTreeSet<String> {
    let of = |version, fields| manifest(crate::wire::ManifestHead { fields, ..head(version) }, &[]);
    let (before, after) = versions(of(1, before), of(2, after));
    incomparable_columns(&before, &after)
}

#[test]
fn a_column_of_another_type_or_identity_is_named() {
    let (id, name) = (column(0, "id", "int64"), column(1, "name", "string"));
    let renamed = SchemaField { name: "title".to_owned(), ..name.clone() };
    let added = column(2, "note", "string");
    assert!(incomparable(vec![id.clone(), name.clone()], vec![id.clone(), renamed, added]).is_empty());
    let other_type = SchemaField { logical_type: "int32".to_owned(), ..id.clone() };
    let other_id = SchemaField { id: 5, ..name.clone() };
    let found = incomparable(vec![id, name], vec![other_type, other_id]);
    assert_eq!(found, ["id", "name"].map(str::to_owned).into());
}

#[test]
fn a_part_of_a_column_names_the_column() {
    let s = SchemaField { kind: 0, ..column(0, "s", "struct") };
    let part = SchemaField { parent_id: 0, ..column(1, "x", "int64") };
    let other = SchemaField { id: 2, ..part.clone() };
    assert_eq!(incomparable(vec![s.clone(), part], vec![s, other]), ["s".to_owned()].into());
}

#[test]
fn an_update_in_place_may_replace_values() {
    assert!(!may_replace_values(&Operation::Update(Update::default())));
    let fields = Update { fields_modified: vec![1], ..Update::default() };
    assert!(may_replace_values(&Operation::Update(fields)));
    assert!(may_replace_values(&Operation::Missing));
}
