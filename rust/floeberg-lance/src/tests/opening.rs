//! Which version is opened?

use floeberg_core::ErrorKind;

use super::tables::{ROOT, Tables, base, data_file, fragment, head, manifest, table_of};
use crate::Checkout;
use crate::metadata::{self, DETACHED, NamingScheme};
use crate::wire::{DeletionFile, Fragment, ManifestHead};

fn three_versions() -> Tables {
    let tables = Tables::default();
    for version in 1..=3 {
        let fragments: Vec<_> = (0..version).map(|id| fragment(id, 10)).collect();
        tables.write("", NamingScheme::V2, manifest(head(version), &fragments));
    }
    tables
}

fn at(version: u64) -> Checkout {
    Checkout { version: Some(version), ..Checkout::default() }
}

fn tagged(tag: &str) -> Checkout {
    Checkout { tag: Some(tag.to_owned()), ..Checkout::default() }
}

fn branched(branch: &str) -> Checkout {
    Checkout { branch: Some(branch.to_owned()), ..Checkout::default() }
}

#[test]
fn the_newest_version_is_opened_or_the_one_that_is_asked_for() {
    let tables = three_versions();
    let newest = tables.open(Checkout::default()).unwrap();
    assert_eq!((newest.version(), newest.count().unwrap()), (3, 30));
    assert_eq!(newest.versions().unwrap().iter().map(|listed| listed.version).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(tables.open(at(1)).unwrap().count().unwrap(), 10);
    let error = tables.open(at(7)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("no version 7: there are 3 versions from 1 to 3"), "{error}");
}

#[test]
fn a_moment_is_the_last_version_that_was_made_until_then() {
    let tables = three_versions();
    let as_of = |seconds: i64| {
        tables
            .open(Checkout { as_of: Some(seconds * 1_000_000), ..Checkout::default() })
            .map(|table| table.version())
    };
    assert_eq!([as_of(100), as_of(199), as_of(200), as_of(9999)].map(Result::unwrap), [1, 1, 2, 3]);
    assert_eq!(as_of(99).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn a_folder_without_manifests_is_no_table() {
    let tables = Tables::default();
    tables.put("_versions/latest_version_hint.json", "{\"version\":1}");
    tables.put("_versions/1.manifest-0123", "");
    assert!(!metadata::is_table(&tables.store, ROOT).unwrap());
    let error = tables.open(Checkout::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains(ROOT), "{error}");
}

#[test]
fn names_of_both_kinds_in_one_folder_are_an_error_until_the_migration_is_done() {
    let tables = Tables::default();
    for version in 1..=12 {
        tables.write("", NamingScheme::V1, manifest(head(version), &[fragment(0, version)]));
    }
    assert_eq!(tables.open(Checkout::default()).unwrap().version(), 12);
    // As a run that was broken off leaves it: copied, and not removed.
    tables.write("", NamingScheme::V2, manifest(head(5), &[fragment(0, 5)]));
    let error = tables.open(Checkout::default()).unwrap_err();
    assert!(error.message().contains("both ways"), "{error}");
    assert_eq!(metadata::migrate_to_v2(&tables.store, ROOT).unwrap(), 12);
    assert_eq!(metadata::migrate_to_v2(&tables.store, ROOT).unwrap(), 0);
    let table = tables.open(Checkout::default()).unwrap();
    assert_eq!((table.version(), table.versions().unwrap().len()), (12, 12));
    assert!(table.manifest_location().ends_with("_versions/18446744073709551603.manifest"));
}

#[test]
fn a_migration_does_not_replace_another_manifest() {
    let tables = Tables::default();
    tables.write("", NamingScheme::V1, manifest(head(1), &[fragment(0, 1)]));
    tables.write("", NamingScheme::V2, manifest(head(1), &[fragment(0, 2)]));
    assert_eq!(metadata::migrate_to_v2(&tables.store, ROOT).unwrap_err().kind(), ErrorKind::AlreadyExists);
}

#[test]
fn a_detached_version_is_opened_by_its_number_alone() {
    let tables = three_versions();
    let version = DETACHED + 77;
    tables.write("", NamingScheme::V2, manifest(head(version), &[]));
    assert_eq!(tables.open(Checkout::default()).unwrap().version(), 3);
    assert_eq!(tables.open(at(version)).unwrap().version(), version);
    let detached = metadata::detached_versions(&tables.store, ROOT).unwrap();
    assert_eq!(detached.iter().map(|listed| listed.version).collect::<Vec<_>>(), [version]);
    assert_eq!(tables.open(at(DETACHED + 78)).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn tags_and_branches_are_found_in_camel_and_in_snake_case() {
    let tables = three_versions();
    tables.put("_refs/tags/v1.json", r#"{"branch":null,"version":2,"manifestSize":1,"other":[1]}"#);
    tables.put("_refs/tags/w.json", r#"{"branch":"a/b","version":9,"manifest_size":1}"#);
    tables.put(
        "_refs/branches/a%2Fb.json",
        r#"{"parent_branch":null,"identifier":{"version_mapping":[[2,"x"]]},"parent_version":2,"create_at":5,"manifest_size":1}"#,
    );
    let first = data_file("0.lance");
    let of_parent = Fragment {
        files: vec![crate::wire::DataFile { base_id: Some(0), ..first }],
        deletion_file: Some(DeletionFile {
            id: 3,
            num_deleted_rows: 1,
            base_id: Some(0),
            ..DeletionFile::default()
        }),
        ..fragment(0, 10)
    };
    let head = ManifestHead {
        branch: Some("a/b".to_owned()),
        base_paths: vec![base(0, ROOT, true)],
        reader_feature_flags: 17,
        writer_feature_flags: 17,
        ..head(9)
    };
    tables.write("tree/a/b/", NamingScheme::V2, manifest(head, &[of_parent, fragment(1, 5)]));

    assert_eq!(tables.open(tagged("v1")).unwrap().version(), 2);
    let table = tables.open(tagged("w")).unwrap();
    assert_eq!((table.version(), table.branch()), (9, Some("a/b")));
    let tasks: Vec<_> = table.plan().unwrap().split(100).map(Result::unwrap).collect();
    assert_eq!(tasks[0].files[0].location, format!("{ROOT}/data/0.lance"));
    assert_eq!(tasks[0].deletion_file.as_ref().unwrap().1, format!("{ROOT}/_deletions/0-0-3.arrow"));
    assert_eq!(tasks[1].files[0].location, format!("{ROOT}/tree/a/b/data/1.lance"));
    assert_eq!(table.count().unwrap(), 14);

    assert_eq!(tables.open(branched("a/b")).unwrap().version(), 9);
    assert_eq!(tables.open(branched("main")).unwrap().version(), 3);
    let branches = table.branches().unwrap();
    assert_eq!((branches[0].name.as_str(), branches[0].parent_version), ("a/b", 2));
    let tags = table.tags().unwrap();
    assert_eq!(tags.iter().map(|tag| tag.name.as_str()).collect::<Vec<_>>(), ["v1", "w"]);
    assert_eq!(tags[0].json["other"].to_string(), "[1]");
}

#[test]
fn refs_that_are_not_there_or_are_damaged_say_so() {
    let tables = three_versions();
    tables.put("_refs/tags/bad.json", "{\"branch\":7,\"version\":1}");
    tables.put("_refs/tags/cut.json", "{\"branch\":");
    tables.put("_refs/tags/without.json", "{}");
    for (checkout, kind) in [
        (tagged("gone"), ErrorKind::NotFound),
        (branched("gone"), ErrorKind::NotFound),
        (tagged("a/b"), ErrorKind::InvalidInput),
        (tagged("../x"), ErrorKind::InvalidInput),
        (branched("a//b"), ErrorKind::InvalidInput),
        (branched("a/../b"), ErrorKind::InvalidInput),
        (branched("x.lock"), ErrorKind::InvalidInput),
        (tagged("bad"), ErrorKind::InvalidData),
        (tagged("cut"), ErrorKind::InvalidData),
        (tagged("without"), ErrorKind::InvalidData),
        (Checkout { version: Some(1), ..tagged("bad") }, ErrorKind::InvalidInput),
        (Checkout { branch: Some("b".to_owned()), ..tagged("bad") }, ErrorKind::InvalidInput),
        (Checkout { as_of: Some(1), ..at(1) }, ErrorKind::InvalidInput),
    ] {
        let error = tables.open(checkout.clone()).unwrap_err();
        assert_eq!(error.kind(), kind, "{checkout:?}: {error}");
    }
}

#[test]
fn a_file_of_another_base_is_where_the_base_says() {
    let file = |id: u32| crate::wire::DataFile { base_id: Some(id), ..data_file("x.lance") };
    let head = ManifestHead {
        base_paths: vec![base(0, "memory://other/t", true), base(7, "memory://files/flat", false)],
        reader_feature_flags: 16,
        writer_feature_flags: 16,
        ..head(1)
    };
    let fragments = [0, 7].map(|id| Fragment { files: vec![file(id)], ..fragment(u64::from(id), 1) });
    let table = table_of(manifest(head, &fragments)).unwrap();
    let plan = table.plan().unwrap();
    let location = |place: usize| plan.task(place).unwrap().files[0].location.clone();
    assert_eq!(location(0), "memory://other/t/data/x.lance");
    assert_eq!(location(1), "memory://files/flat/x.lance");
}
