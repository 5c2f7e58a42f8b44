#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use floeberg_core::{Error, ErrorKind, Result};
use floeberg_io::{Entry, LocalStore, MemoryStore, Sink, Source, Store};
use serde_json::json;

use super::folder::{choose, hinted_version};
use super::name::{Scheme, parse_name};
use super::open_metadata;
use crate::metadata::fixture::{v1, v2, with};

const TABLE: &str = "memory://w/t";

/// A store of a table whose metadata folder holds these files; each file's table has the file's name as its property
/// `file`.
fn store(names: &[&str]) -> MemoryStore {
    let store = MemoryStore::new();
    for name in names {
        let metadata = with(v2(), "/properties", "file", json!(name));
        store.put(format!("{TABLE}/metadata/{name}"), metadata.to_string().into_bytes());
    }
    store.put(format!("{TABLE}/data/a.parquet"), &b"PAR1"[..]);
    store
}

fn hinted(names: &[&str], hint: &str) -> MemoryStore {
    let store = store(names);
    store.put(format!("{TABLE}/metadata/version-hint.text"), hint.as_bytes().to_vec());
    store
}

/// The name of the file that is opened, both by its location and by what it says.
fn opened(store: &dyn Store, location: &str) -> String {
    let (found, metadata) = open_metadata(store, location).unwrap();
    let name = metadata.properties["file"].clone();
    assert!(found.ends_with(&format!("/{name}")), "{found} is not {name}");
    name
}

fn refused(store: &dyn Store, location: &str) -> Error {
    open_metadata(store, location).map(|(found, _)| found).unwrap_err()
}

/// A store that cannot list, as those over HTTP; or whose hint cannot be read. It counts what is asked for.
#[derive(Debug, Default)]
struct Odd {
    store: MemoryStore,
    lists: bool,
    hint: Option<ErrorKind>,
    asked: AtomicUsize,
}

fn without_listing(store: MemoryStore) -> Odd {
    Odd { store, ..Odd::default() }
}

fn with_broken_hint(store: MemoryStore, kind: ErrorKind) -> Odd {
    Odd { store, lists: true, hint: Some(kind), ..Odd::default() }
}

impl Store for Odd {
    fn open(&self, location: &str) -> Result<Arc<dyn Source>> {
        match self.hint {
            Some(kind) if location.ends_with("version-hint.text") => Err(Error::new(kind, "broken")),
            _ => self.store.open(location),
        }
    }

    fn exists(&self, location: &str) -> Result<bool> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.store.exists(location)
    }

    fn list(&self, folder: &str) -> Result<Vec<Entry>> {
        if self.lists { self.store.list(folder) } else { Err(Error::unsupported("this store cannot list")) }
    }

    fn create(&self, location: &str) -> Result<Box<dyn Sink>> {
        self.store.create(location)
    }

    fn put_if_absent(&self, location: &str, bytes: Bytes) -> Result<()> {
        self.store.put_if_absent(location, bytes)
    }

    fn put(&self, location: &str, bytes: Bytes) -> Result<()> {
        Store::put(&self.store, location, bytes)
    }

    fn remove(&self, location: &str) -> Result<()> {
        Store::remove(&self.store, location)
    }
}

#[test]
fn names_say_version_and_scheme() {
    for (name, expected) in [
        ("v12.metadata.json", Some((Scheme::FileSystem, 12))),
        ("v12.gz.metadata.json", Some((Scheme::FileSystem, 12))),
        ("v12.metadata.json.gz", Some((Scheme::FileSystem, 12))),
        ("00007-9c12d441-03fe.metadata.json", Some((Scheme::Metastore, 7))),
        ("100000-x.gz.metadata.json", Some((Scheme::Metastore, 100_000))),
        (".v12.metadata.json.crc", None),
        ("v0.metadata.json", Some((Scheme::FileSystem, 0))),
        // A reader of version 12 looks for another name.
        ("v012.metadata.json", None),
        ("v00.metadata.json", None),
        ("v.metadata.json", None),
        ("v+1.metadata.json", None),
        ("v1", None),
        ("12.metadata.json", None),
        ("12-.metadata.json", None),
        ("9c12d441-03fe.metadata.json", None),
        ("v99999999999999999999.metadata.json", None),
        ("snap-1-2.avro", None),
        (".metadata.json", None),
    ] {
        assert_eq!(parse_name(name), expected, "{name}");
    }
}

#[test]
fn a_metadata_file_is_opened_whatever_its_name() {
    let store = store(&["v1.metadata.json", "v2.metadata.json", "odd.json"]);
    for name in ["v1.metadata.json", "odd.json"] {
        assert_eq!(opened(&store, &format!("{TABLE}/metadata/{name}")), name);
    }
}

#[test]
fn the_hint_names_the_version() {
    let names = ["v1.metadata.json", "v2.metadata.json"];
    assert_eq!(opened(&hinted(&names, "2"), TABLE), "v2.metadata.json");
    assert_eq!(opened(&hinted(&names, " 2\n"), &format!("{TABLE}/")), "v2.metadata.json");
}

#[test]
fn later_versions_than_the_hint_are_found_up_to_a_gap() {
    let names = ["v1.metadata.json", "v2.metadata.json", "v3.gz.metadata.json", "v5.metadata.json"];
    assert_eq!(opened(&hinted(&names, "1"), TABLE), "v3.gz.metadata.json");
}

#[test]
fn a_version_may_have_any_of_the_three_names() {
    for name in ["v4.metadata.json", "v4.gz.metadata.json", "v4.metadata.json.gz"] {
        assert_eq!(opened(&hinted(&["v1.metadata.json", name], "4"), TABLE), name);
    }
}

#[test]
fn a_hint_may_be_a_file_name_with_or_without_its_suffix() {
    let names = ["00001-a.metadata.json", "00001-b.metadata.json"];
    for hint in ["00001-b.metadata.json", "00001-b", "s3://elsewhere/metadata/00001-b.metadata.json"] {
        assert_eq!(opened(&hinted(&names, hint), TABLE), "00001-b.metadata.json");
    }
    assert_eq!(
        opened(&hinted(&["v1.metadata.json", "v2.metadata.json"], "v1.metadata.json"), TABLE),
        "v2.metadata.json"
    );
}

#[test]
fn a_hint_that_leads_nowhere_does_not_count() {
    for hint in ["7", "", "nonsense", "..", "99999999999999999999", "v9.metadata.json"] {
        assert_eq!(
            opened(&hinted(&["v2.metadata.json", "v10.metadata.json"], hint), TABLE),
            "v10.metadata.json",
            "{hint}"
        );
    }
}

#[test]
fn a_version_may_be_hinted_with_its_letter() {
    let names = ["v1.metadata.json", "v2.metadata.json", "v3.gz.metadata.json"];
    for hint in ["v1", "v2", "s3://elsewhere/metadata/v1"] {
        assert_eq!(opened(&hinted(&names, hint), TABLE), "v3.gz.metadata.json", "{hint}");
    }
}

#[test]
fn what_is_no_hint_does_not_count() {
    let names = ["v1.metadata.json", "v2.metadata.json"];
    let long = "1".repeat(10_000);
    for hint in
        [long.as_str(), "v1\0", "\0", "1\n2", "a/b\u{7}", "18446744073709551615", "v18446744073709551615"]
    {
        assert_eq!(opened(&hinted(&names, hint), TABLE), "v2.metadata.json", "{hint:?}");
    }
    let error = refused(&without_listing(hinted(&names, &long)), TABLE);
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("version-hint.text cannot be read: "), "{error}");
}

#[test]
fn a_folder_or_a_locked_file_in_the_place_of_the_hint_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let metadata = folder.path().join("metadata");
    std::fs::create_dir(&metadata).unwrap();
    for name in ["v1.metadata.json", "v2.metadata.json"] {
        let text = with(v2(), "/properties", "file", json!(name)).to_string();
        std::fs::write(metadata.join(name), text).unwrap();
    }
    std::fs::create_dir(metadata.join("version-hint.text")).unwrap();
    assert_eq!(opened(&LocalStore, folder.path().to_str().unwrap()), "v2.metadata.json");
    for kind in [ErrorKind::PermissionDenied, ErrorKind::Storage] {
        let store = with_broken_hint(hinted(&["v1.metadata.json", "v2.metadata.json"], "1"), kind);
        assert_eq!(opened(&store, TABLE), "v2.metadata.json");
    }
    let store = with_broken_hint(hinted(&["v1.metadata.json"], "1"), ErrorKind::Cancelled);
    assert_eq!(refused(&store, TABLE).kind(), ErrorKind::Cancelled);
}

#[test]
fn a_hint_that_is_long_out_of_date_costs_one_listing() {
    let names: Vec<String> = (1..=300).map(|version| format!("v{version}.metadata.json")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let store = Odd { store: hinted(&names, "1"), lists: true, ..Odd::default() };
    assert_eq!(opened(&store, TABLE), "v300.metadata.json");
    assert!(store.asked.into_inner() <= 64, "versions were asked for one by one");
    // Up to a gap, as without a listing.
    let store = hinted(&names, "1");
    Store::remove(&store, &format!("{TABLE}/metadata/v200.metadata.json")).unwrap();
    assert_eq!(opened(&store, TABLE), "v199.metadata.json");
    assert_eq!(opened(&without_listing(hinted(&names, "1")), TABLE), "v300.metadata.json");
}

#[test]
fn without_a_hint_the_highest_version_is_current() {
    assert_eq!(
        opened(&store(&["v9.metadata.json", "v10.metadata.json", "v2.metadata.json"]), TABLE),
        "v10.metadata.json"
    );
    let names = ["00009-a.metadata.json", "00010-b.metadata.json", "100000-c.gz.metadata.json"];
    assert_eq!(opened(&store(&names), TABLE), "100000-c.gz.metadata.json");
}

#[test]
fn what_readers_of_a_version_do_not_look_for_is_none() {
    let names = ["v1.metadata.json", "v02.metadata.json"];
    assert_eq!(opened(&store(&names), TABLE), "v1.metadata.json");
    for hint in ["1", "2", "02"] {
        assert_eq!(opened(&hinted(&names, hint), TABLE), "v1.metadata.json", "{hint}");
    }
    let of = |hint| hinted_version(&hinted(&names, hint), &format!("{TABLE}/metadata")).unwrap();
    assert_eq!(
        ["7", "v7", "v7.metadata.json", "a/v7", "x"].map(of),
        [Some(7), Some(7), Some(7), Some(7), None]
    );
}

#[test]
fn a_tie_is_an_error_that_lists_both() {
    let error =
        refused(&store(&["00001-b.metadata.json", "00001-a.metadata.json", "00000-c.metadata.json"]), TABLE);
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.message().contains("\"00001-a.metadata.json\" and \"00001-b.metadata.json\""), "{error}");
    assert!(!error.message().contains("00000-c"), "{error}");
    let error = refused(&store(&["v3.metadata.json", "00001-b.metadata.json"]), TABLE);
    assert!(error.message().contains("\"v3.metadata.json\" and \"00001-b.metadata.json\""), "{error}");
}

#[test]
fn of_one_version_plain_and_packed_the_plain_one_counts() {
    let names = ["v3.metadata.json.gz", "v3.gz.metadata.json", "v3.metadata.json"];
    assert_eq!(choose(&names).unwrap(), Some("v3.metadata.json"));
    assert_eq!(choose(&names[..2]).unwrap(), Some("v3.gz.metadata.json"));
}

#[test]
fn the_only_metadata_file_counts_even_without_a_version() {
    assert_eq!(choose(&["a.metadata.json", "snap.avro"]).unwrap(), Some("a.metadata.json"));
    assert_eq!(choose(&["a.metadata.json", "b.metadata.json"]).unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(choose(&["snap.avro"]).unwrap(), None);
}

#[test]
fn hidden_files_are_not_metadata() {
    assert_eq!(choose(&[".5-v1.metadata.json", "snap.avro"]).unwrap(), None);
    assert_eq!(choose(&[".v2.metadata.json", "v1.metadata.json"]).unwrap(), Some("v1.metadata.json"));
}

#[test]
fn the_metadata_folder_itself_is_accepted() {
    assert_eq!(opened(&hinted(&["v1.metadata.json"], "1"), &format!("{TABLE}/metadata")), "v1.metadata.json");
    assert_eq!(opened(&store(&["v1.metadata.json"]), &format!("{TABLE}/metadata/")), "v1.metadata.json");
}

#[test]
fn where_nothing_is_the_error_says_what_was_looked_for() {
    for (location, found) in
        [("memory://w/none", "no file or directory"), (TABLE, "the directory has no Iceberg")]
    {
        let error = refused(&store(&[]), location);
        assert_eq!(error.kind(), ErrorKind::NotFound);
        for part in [found, "metadata/version-hint.text", "v<V>.metadata.json", location] {
            assert!(error.to_string().contains(part), "{error}");
        }
    }
    let error = refused(&store(&[]), &format!("{TABLE}/metadata/v1.metadata.json"));
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[test]
fn a_lance_dataset_is_named_so() {
    let store = MemoryStore::new();
    store.put("memory://w/l.lance/_versions/1.manifest", &b"x"[..]);
    let error = refused(&store, "memory://w/l.lance");
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("Lance"), "{error}");
}

#[test]
fn where_listing_is_impossible_the_hint_is_required() {
    let names = ["v1.metadata.json", "v2.metadata.json"];
    assert_eq!(opened(&without_listing(hinted(&names, "1")), TABLE), "v2.metadata.json");
    for (store, why) in [(store(&names), "there is no version-hint.text"), (hinted(&names, "7"), "\"7\"")] {
        let error = refused(&without_listing(store), TABLE);
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().contains(why), "{error}");
    }
}

#[test]
fn a_file_of_any_name_is_opened_where_listing_is_impossible() {
    let store = without_listing(store(&["odd.json"]));
    assert_eq!(opened(&store, &format!("{TABLE}/metadata/odd.json")), "odd.json");
}

#[test]
fn local_files_and_folders_are_opened() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().to_str().unwrap().to_owned();
    let name = "v1.metadata.json";
    let text = with(v2(), "/properties", "file", json!(name)).to_string();
    std::fs::create_dir(folder.path().join("metadata")).unwrap();
    std::fs::write(folder.path().join("metadata").join(name), &text).unwrap();
    for location in [table.clone(), format!("file:{table}"), format!("file://{table}/metadata/{name}")] {
        assert_eq!(opened(&LocalStore, &location), name);
    }
    std::fs::write(folder.path().join("odd.json"), &text).unwrap();
    assert!(open_metadata(&LocalStore, &format!("{table}/odd.json")).is_ok());
    assert_eq!(refused(&LocalStore, &format!("{table}/none")).kind(), ErrorKind::NotFound);
}

#[test]
fn a_damaged_file_is_named() {
    let store = MemoryStore::new();
    store.put(format!("{TABLE}/metadata/v1.metadata.json"), &b"{"[..]);
    let error = refused(&store, TABLE);
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(error.to_string().contains("(path: memory://w/t/metadata/v1.metadata.json)"), "{error}");
    store.put(format!("{TABLE}/metadata/v2.metadata.json"), v1().to_string().into_bytes());
    assert!(open_metadata(&store, TABLE).is_ok());
}
