#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use floeberg_core::{Cancel, ErrorKind};
use floeberg_io::Store;

use super::*;
use crate::clean::{find_unused, remove_unused};
use crate::commit::{Commit, CommitRequest, RowsOf};
use crate::metadata::NamingScheme;
use crate::tests::tables::{ROOT, Tables, fragment, head, manifest};
use crate::wire::{DeletionFile, Fragment};
use crate::{Checkout, OpenOptions, Table, change};

fn two_versions(tables: &Tables) -> Table {
    tables.write("", NamingScheme::V2, manifest(head(1), &[fragment(0, 10)]));
    tables.write("", NamingScheme::V2, manifest(head(2), &[fragment(0, 10), fragment(1, 5)]));
    tables.open(Checkout::default()).unwrap()
}

fn at(tables: &Tables, version: u64) -> Table {
    tables.open(Checkout { version: Some(version), ..Checkout::default() }).unwrap()
}

fn delete(table: &Table, fragment: u64, row: u32) -> Table {
    let request = CommitRequest {
        table: table.clone(),
        operation: change::delete("x"),
        deletes: RowsOf::from([(fragment, std::iter::once(row).collect())]),
        properties: Vec::new(),
        key: None,
        inserts_missing_keys: false,
        conditions: crate::commit::Conditions::default(),
    };
    Commit::begin(request).unwrap().attempt().unwrap().table
}

#[test]
fn a_tag_is_created_once_moved_and_removed() {
    let tables = Tables::default();
    let table = two_versions(&tables);
    create_tag(&at(&tables, 1), "v1.0").unwrap();
    let error = create_tag(&table, "v1.0").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert!(error.message().contains("v1.0"), "{error}");
    assert_eq!(table.tags().unwrap()[0].version, 1);
    let created = table.tags().unwrap()[0].json["createdAt"].clone();
    update_tag(&table, "v1.0").unwrap();
    let tag = &table.tags().unwrap()[0];
    assert_eq!((tag.version, &tag.json["createdAt"]), (2, &created));
    assert!(tag.json["manifestSize"].as_u64().unwrap() > 100);
    remove_tag(&table, "v1.0").unwrap();
    for error in [remove_tag(&table, "v1.0"), update_tag(&table, "v1.0")] {
        assert_eq!(error.unwrap_err().kind(), ErrorKind::NotFound);
    }
    assert_eq!(create_tag(&table, "a b").unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn a_branch_begins_with_the_files_of_its_parent_and_goes_on_alone() {
    let tables = Tables::default();
    two_versions(&tables);
    let parent = delete(&tables.open(Checkout::default()).unwrap(), 0, 3);
    create_branch(&parent, "a/b").unwrap();
    let open = || tables.open(Checkout { branch: Some("a/b".to_owned()), ..Checkout::default() }).unwrap();
    let branch = open();
    assert_eq!((branch.version(), branch.branch(), branch.count().unwrap()), (3, Some("a/b"), 14));
    let task = branch.plan().unwrap().task(0).unwrap();
    assert_eq!(task.files[0].location, format!("{ROOT}/data/0.lance"));
    assert_eq!(branch.manifest().head.reader_feature_flags, 17);
    let after = delete(&branch, 0, 4);
    assert_eq!((after.version(), after.count().unwrap(), parent.count().unwrap()), (4, 13, 14));
    assert!(after.manifest_location().contains("/tree/a/b/_versions/"));
    assert_eq!(create_branch(&parent, "a/b").unwrap_err().kind(), ErrorKind::AlreadyExists);
    // A branch of the branch, and what keeps it.
    create_branch(&after, "c").unwrap();
    let mapping = &parent.branches().unwrap()[1].json["identifier"]["version_mapping"];
    assert_eq!((&mapping[0][0], &mapping[1][0]), (&3.into(), &4.into()));
    assert!(remove_branch(&parent, "a/b").unwrap_err().message().contains("\"c\" came from it"));
    remove_branch(&parent, "c").unwrap();
    create_tag(&after, "t").unwrap();
    assert!(remove_branch(&parent, "a/b").unwrap_err().message().contains("tag \"t\""));
    remove_tag(&parent, "t").unwrap();
    remove_branch(&parent, "a/b").unwrap();
    assert!(parent.branches().unwrap().is_empty());
    assert_eq!(remove_branch(&parent, "a/b").unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn a_creation_or_a_removal_that_was_broken_off_does_not_keep_the_name() {
    let tables = Tables::default();
    let table = two_versions(&tables);
    create_branch(&table, "b").unwrap();
    // As both leave it between their steps.
    assert!(tables.store.remove(&format!("{ROOT}/_refs/branches/b.json")));
    let error = create_branch(&table, "b").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert!(error.message().contains("remove the branch first"), "{error}");
    remove_branch(&table, "b").unwrap();
    assert_eq!(remove_branch(&table, "b").unwrap_err().kind(), ErrorKind::NotFound);
    create_branch(&table, "b").unwrap();
    assert_eq!(table.branches().unwrap().len(), 1);
}

#[test]
fn a_clone_names_the_files_of_its_source() {
    let tables = Tables::default();
    let table = two_versions(&tables);
    let folder = "memory://tables/other";
    shallow_clone(&table, folder).unwrap();
    assert_eq!(shallow_clone(&table, folder).unwrap_err().kind(), ErrorKind::AlreadyExists);
    let store: Arc<dyn Store> = Arc::new(tables.store.clone());
    let clone = Table::open_in(store, folder, &OpenOptions::default()).unwrap();
    assert_eq!((clone.version(), clone.count().unwrap()), (2, 15));
    let location = clone.plan().unwrap().task(1).unwrap().files[0].location.clone();
    assert_eq!(location, format!("{ROOT}/data/1.lance"));
    assert_eq!(clone.transaction().unwrap().unwrap().operation.name(), "Clone");
}

#[test]
fn a_version_that_was_cleaned_up_cannot_be_cloned_branched_or_restored() {
    let files = ["data/0.lance", "_deletions/0-2-7.arrow"];
    let deleted = Fragment {
        deletion_file: Some(DeletionFile {
            id: 7,
            read_version: 2,
            num_deleted_rows: 1,
            ..DeletionFile::default()
        }),
        ..fragment(0, 10)
    };
    for gone in [None, Some(files[0]), Some(files[1]), Some("_versions/18446744073709551614.manifest")] {
        let tables = Tables::default();
        let mut old = head(1);
        (old.reader_feature_flags, old.writer_feature_flags) = (1, 1);
        tables.write("", NamingScheme::V2, manifest(old, std::slice::from_ref(&deleted)));
        tables.write("", NamingScheme::V2, manifest(head(2), &[fragment(1, 5)]));
        for file in files {
            tables.put(file, "x");
        }
        let table = at(&tables, 1);
        if let Some(gone) = gone {
            assert!(tables.store.remove(&format!("{ROOT}/{gone}")));
        }
        let folder = "memory://tables/other";
        let found = [
            shallow_clone(&table, folder),
            create_branch(&table, "b").map(|()| table.versions().unwrap()[0]),
        ];
        for found in found {
            match gone {
                None => drop(found.unwrap()),
                Some(gone) => {
                    let error = found.unwrap_err();
                    assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
                    assert!(error.to_string().contains(gone), "{error}");
                }
            }
        }
        let left = tables.store.list(&format!("{folder}/_versions")).map_or(0, |found| found.len());
        assert_eq!(left, usize::from(gone.is_none()));
        let request = CommitRequest {
            table: tables.open(Checkout::default()).unwrap(),
            operation: crate::wire::Operation::Restore(crate::wire::Restore {
                version: 1,
                ..Default::default()
            }),
            deletes: RowsOf::new(),
            properties: Vec::new(),
            key: None,
            inserts_missing_keys: false,
            conditions: crate::commit::Conditions::default(),
        };
        let restored = Commit::begin(request).unwrap().attempt();
        assert_eq!(
            restored.map_or_else(|error| Some(error.kind()), |_| None),
            gone.map(|_| ErrorKind::NotFound)
        );
    }
}

#[test]
fn what_a_version_tag_or_branch_needs_stays() {
    let tables = Tables::default();
    let deleted = |id: u64| Fragment {
        deletion_file: Some(DeletionFile { id, num_deleted_rows: 1, ..DeletionFile::default() }),
        ..fragment(0, 10)
    };
    let versions = [
        vec![fragment(0, 10)],
        vec![deleted(7)],
        vec![deleted(8)],
        vec![fragment(1, 5)],
        vec![fragment(2, 5)],
    ];
    for (version, fragments) in (1..).zip(versions) {
        let mut head = head(version);
        let flag = u64::from(fragments[0].deletion_file.is_some());
        (head.reader_feature_flags, head.writer_feature_flags) = (flag, flag);
        tables.write("", NamingScheme::V2, manifest(head, &fragments));
    }
    let table = tables.open(Checkout::default()).unwrap();
    let found =
        |kept: u64, seconds: i64| find_unused(&table, kept, seconds * 1_000_000, &Cancel::default()).unwrap();
    let names = |unused: &crate::clean::Unused| -> Vec<String> {
        unused.files.iter().map(|file| file.rsplit('/').next().unwrap().to_owned()).collect()
    };
    // Versions were made at 100, 200, 300, 400 and 500 seconds.
    assert_eq!((found(1, 100).versions, found(1, 201).versions), (vec![], vec![1, 2]));
    assert_eq!(found(3, 9999).versions, [1, 2]);
    assert_eq!(names(&found(3, 9999)), ["0-0-7.arrow"]);
    assert_eq!(names(&found(1, 9999)), ["0-0-7.arrow", "0-0-8.arrow", "0.lance", "1.lance"]);
    create_tag(&at(&tables, 2), "t").unwrap();
    tables.put("data/1.lance", "x");
    assert_eq!(found(1, 9999).versions, [1, 3, 4]);
    assert_eq!(names(&found(1, 9999)), ["0-0-8.arrow", "1.lance"]);
    create_branch(&at(&tables, 4), "b").unwrap();
    let unused = found(1, 9999);
    assert_eq!((unused.versions.as_slice(), names(&unused)), (&[1, 3][..], vec!["0-0-8.arrow".to_owned()]));
    remove_unused(&table, &unused, &Cancel::default()).unwrap();
    let left: Vec<u64> = table.versions().unwrap().iter().map(|listed| listed.version).collect();
    assert_eq!(left, [2, 4, 5]);
}
