//! Attempts whose storage calls go wrong, one after the other.

use std::fs;
use std::path::Path;

use floeberg_iceberg::{OpenOptions, Table};
use floeberg_io::StoreOptions;

use super::kit::{Kit, append, delete, merge_append};
use crate::{Commit, CommitRequest, Operation};

/// What an attempt does to a table whose store is broken as `faults` says; and how many calls it made before it was
/// given up or taken.
fn try_broken(kit: &Kit, operations: Vec<Operation>, calls: &Path, faults: &str) -> (bool, usize) {
    let pairs = [("testing.calls", calls.to_str().unwrap()), ("testing.faults", faults)];
    let storage: StoreOptions =
        pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let location = kit.table.as_ref().unwrap().metadata_location();
    // The first calls open the table.
    let options = OpenOptions { storage, ..OpenOptions::default() };
    let Ok(table) = Table::open_at(location, options) else { return (false, 0) };
    let commit =
        Commit::begin(CommitRequest { starting: Some(table.clone()), ..kit.request(operations) }).unwrap();
    let attempt = commit.attempt(Some(&table), &floeberg_core::Cancel::default());
    let made = fs::read_to_string(calls).unwrap().lines().count();
    let is_made = attempt.is_ok();
    assert_eq!(commit.abandon(), Vec::<String>::new());
    (is_made, made)
}

#[test]
fn whatever_call_fails_nothing_is_left_and_the_table_is_as_it_was() {
    let mut kit = Kit::partitioned(2, &[("commit.manifest.min-count-to-merge", "2")]);
    kit.commit(vec![append("a", "x"), append("b", "y")]);
    let operations = || vec![merge_append("c", "x"), delete("day = 'y'")];
    let folder = tempfile::tempdir().unwrap();
    let before = kit.files();
    let (is_made, calls) = try_broken(&kit, operations(), &folder.path().join("none"), "");
    assert!(is_made && calls > 10, "{calls}");
    for fault in ["fail", "lose-request", "lose-answer", "cut-short"] {
        for number in 0..calls {
            let path = folder.path().join(format!("{fault}-{number}"));
            let (is_made, _) = try_broken(&kit, operations(), &path, &format!("{number}={fault}"));
            assert!(!is_made || fault == "cut-short", "call {number} was made to {fault}");
            assert_eq!(kit.files(), before, "call {number} was made to {fault}");
        }
    }
    kit.commit(operations());
    assert_eq!(kit.live_paths(), ["a", "c"]);
}
