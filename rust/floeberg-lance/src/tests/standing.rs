//! Tables that are made anew while a version of them is open, and paths and names that lead elsewhere.

use floeberg_core::{Cancel, ErrorKind};
use floeberg_io::Store as _;

use super::tables::{ROOT, Tables, base, data_file, fragment, head, manifest, table_of};
use crate::clean::find_unused;
use crate::metadata::{NamingScheme, VERSIONS};
use crate::wire::{Fragment, ManifestHead, Timestamp};
use crate::{Checkout, Table, appended_since, refs};

fn written(tables: &Tables, version: u64, seconds: i64, fragments: &[Fragment]) -> Table {
    let timestamp = Some(Timestamp { seconds, ..Timestamp::default() });
    tables.write("", NamingScheme::V2, manifest(ManifestHead { timestamp, ..head(version) }, fragments));
    tables.open(Checkout::default()).unwrap()
}

fn remove_versions(tables: &Tables) {
    for entry in tables.store.list(&format!("{ROOT}/{VERSIONS}")).unwrap() {
        assert!(tables.store.remove(&format!("{ROOT}/{VERSIONS}/{}", entry.name)));
    }
}

#[test]
fn a_table_that_was_made_anew_is_not_taken_for_the_old_one() {
    let tables = Tables::default();
    let stale = written(&tables, 1, 100, &[fragment(0, 3)]);
    remove_versions(&tables);
    // The same number, size and columns: the moment alone differs.
    written(&tables, 1, 101, &[fragment(0, 3)]);
    written(&tables, 2, 102, &[fragment(1, 3)]);
    let refused = [
        stale.newest().map(drop),
        stale.at_version(2).map(drop),
        stale.check_same(),
        refs::create_tag(&stale, "t"),
        refs::create_branch(&stale, "b"),
        refs::shallow_clone(&stale, "memory://tables/clone").map(drop),
        find_unused(&stale, 1, i64::MAX, &Cancel::default()).map(drop),
        appended_since(&stale, 1, &Cancel::default()).map(drop),
    ];
    for found in refused {
        let error = found.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        assert!(error.message().contains("was removed and made anew"), "{error}");
    }
    assert!(tables.store.list(&format!("{ROOT}/_refs/tags")).is_err());
    let opened = tables.open(Checkout::default()).unwrap();
    assert_eq!((opened.newest().unwrap().version(), opened.at_version(1).unwrap().version()), (2, 1));
}

#[test]
fn a_version_that_was_cleaned_up_is_followed_where_the_newest_may_follow_it() {
    let tables = Tables::default();
    let stale = written(&tables, 1, 100, &[fragment(0, 3)]);
    remove_versions(&tables);
    assert_eq!(stale.newest().unwrap_err().kind(), ErrorKind::NotFound);
    written(&tables, 3, 300, &[fragment(0, 3), fragment(1, 3)]);
    assert_eq!(stale.newest().unwrap().version(), 3);
    assert_eq!(refs::create_tag(&stale, "t").unwrap_err().kind(), ErrorKind::NotFound);
    // Ids of fragments that are given do not become fewer.
    remove_versions(&tables);
    let max_fragment_id = Some(7);
    let more = ManifestHead { max_fragment_id, ..head(1) };
    tables.write("", NamingScheme::V2, manifest(more, &[fragment(7, 3)]));
    let stale = tables.open(Checkout::default()).unwrap();
    remove_versions(&tables);
    written(&tables, 3, 300, &[fragment(1, 3)]);
    assert!(stale.newest().unwrap_err().message().contains("made anew"));
}

#[test]
fn a_branch_that_begins_with_a_later_version_is_another_one() {
    let tables = Tables::default();
    let main = written(&tables, 1, 100, &[fragment(0, 3)]);
    refs::create_branch(&main, "b").unwrap();
    let on_branch = Checkout { branch: Some("b".to_owned()), ..Checkout::default() };
    let stale = tables.open(on_branch.clone()).unwrap();
    refs::remove_branch(&main, "b").unwrap();
    refs::create_branch(&written(&tables, 2, 200, &[fragment(0, 3)]), "b").unwrap();
    assert_eq!(tables.open(on_branch).unwrap().version(), 2);
    assert!(stale.newest().unwrap_err().message().contains("the branch \"b\" was removed and made anew"));
}

#[test]
fn versions_that_were_named_anew_are_the_same() {
    let tables = Tables::default();
    tables.write("", NamingScheme::V1, manifest(head(1), &[fragment(0, 3)]));
    let table = tables.open(Checkout::default()).unwrap();
    crate::metadata::migrate_to_v2(table.store().as_ref(), ROOT).unwrap();
    table.check_same().unwrap();
    assert_eq!(table.newest().unwrap().version(), 1);
}

#[test]
fn paths_that_lead_out_of_their_folder_are_refused() {
    let paths = [
        "../../x.lance",
        "/etc/x.lance",
        "a/../../../x.lance",
        "./x.lance",
        "a//x.lance",
        "a/",
        "",
        "..",
        "C:x.lance",
        "c:\\x.lance",
        "..\\x.lance",
        "s3://b/x.lance",
        "file:/x.lance",
        "%2e%2e/x.lance",
        "a%2F..%2fx.lance",
        "a%5c..%5Cx.lance",
        "x\0.lance",
    ];
    for path in paths {
        for base_id in [None, Some(3)] {
            let file = crate::wire::DataFile { base_id, ..data_file(path) };
            let mut named = head(1);
            named.base_paths.push(base(3, "memory://tables/other", true));
            (named.reader_feature_flags, named.writer_feature_flags) = (16, 16);
            let table =
                table_of(manifest(named, &[Fragment { files: vec![file], ..fragment(0, 3) }])).unwrap();
            let error = table.plan().and_then(|plan| plan.task(0)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidData, "{path:?}: {error}");
        }
    }
    for name in ["../x.txn", "a/x.txn", "..", "C:x.txn", "%2e%2e%2fx.txn"] {
        let named = ManifestHead { transaction_file: name.to_owned(), ..head(1) };
        let error = table_of(manifest(named, &[])).unwrap().transaction().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{name:?}: {error}");
    }
}

#[test]
fn what_an_old_version_names_elsewhere_is_not_removed() {
    let outside = crate::wire::DataFile { base_id: Some(3), ..data_file("v.lance") };
    let tables = Tables::default();
    let mut old = head(1);
    // Below the folder by its letters alone.
    old.base_paths.push(base(3, &format!("{ROOT}/../other"), false));
    (old.reader_feature_flags, old.writer_feature_flags) = (16, 16);
    let files = vec![outside];
    tables.write("", NamingScheme::V2, manifest(old, &[Fragment { files, ..fragment(0, 3) }]));
    let table = written(&tables, 2, 200, &[fragment(1, 3)]);
    let unused = find_unused(&table, 1, i64::MAX, &Cancel::default()).unwrap();
    assert_eq!((unused.versions, unused.files), (vec![1], Vec::<String>::new()));
}

#[test]
fn blobs_and_indices_go_with_what_they_belong_to() {
    let tables = Tables::default();
    tables.write("", NamingScheme::V2, manifest(head(1), &[fragment(0, 3), fragment(1, 3)]));
    for file in
        ["data/0.lance", "data/0/a.blob", "data/0/b.blob", "data/1.lance", "data/1/a.blob", "data/2/a.blob"]
    {
        tables.put(file, "xx");
    }
    let table = written(&tables, 2, 200, &[fragment(1, 3)]);
    let unused = find_unused(&table, 1, i64::MAX, &Cancel::default()).unwrap();
    let names: Vec<&str> = unused.files.iter().map(|file| &file[ROOT.len() + 1..]).collect();
    assert_eq!(names, ["data/0.lance", "data/0/a.blob", "data/0/b.blob"]);
}

#[test]
fn names_of_branches_are_of_one_folder_and_of_no_files() {
    let tables = Tables::default();
    let table = written(&tables, 1, 100, &[]);
    let long = "x".repeat(251);
    for name in [
        "a/./b",
        ".",
        "./a",
        "a/.",
        "a//b",
        "..",
        "a/..",
        "a/",
        "/a",
        "",
        "a/data",
        "a/_versions",
        "a/b/_refs",
        &long,
    ] {
        let error = refs::create_branch(&table, name).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{name:?}: {error}");
    }
    for name in [".", "..", "a/b", ".a", "a.", "", "a\\b", &long] {
        let error = refs::create_tag(&table, name).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{name:?}: {error}");
    }
    for name in ["a/.b", "a/b.c", "data", "_versions"] {
        refs::create_branch(&table, name).unwrap();
    }
    // A tag of others may name any branch.
    tables.put("_refs/tags/t.json", r#"{"branch": "../../other", "version": 1, "manifestSize": 1}"#);
    let tag = Checkout { tag: Some("t".to_owned()), ..Checkout::default() };
    assert_eq!(tables.open(tag).unwrap_err().kind(), ErrorKind::InvalidData);
}
