//! Commits whose calls of the store fail, or whose answers get lost.

use std::sync::Arc;

use floeberg_core::ErrorKind;
use floeberg_io::Store;
use floeberg_io::testing::{Fault, FaultyStore};

use super::commits::{deleting, plain_table, rows};
use crate::commit::Commit;
use crate::metadata::NamingScheme;
use crate::tests::tables::{ROOT, Tables};
use crate::{Checkout, OpenOptions, Table};

/// The table in a store whose operations go wrong, counted from its opening on.
fn faulty(tables: &Tables, faults: impl IntoIterator<Item = (u64, Fault)>) -> Table {
    let inner: Arc<dyn Store> = Arc::new(tables.store.clone());
    let store: Arc<dyn Store> = Arc::new(FaultyStore::new(inner, faults));
    Table::open_in(store, ROOT, &OpenOptions::default()).unwrap()
}

fn newest(tables: &Tables) -> Table {
    tables.open(Checkout::default()).unwrap()
}

#[test]
fn every_call_of_a_commit_may_fail_and_nothing_is_lost_or_done_twice() {
    for fault in [Fault::Fail(ErrorKind::Storage), Fault::LoseRequest, Fault::LoseAnswer] {
        let mut is_struck = true;
        for number in 0.. {
            let tables = Tables::default();
            plain_table(&tables, NamingScheme::V2);
            // What opening takes is not struck.
            let opened = 4;
            let table = faulty(&tables, [(opened + number, fault)]);
            let commit = Commit::begin(deleting(&table, 0, &[3])).unwrap();
            let outcome = commit.attempt();
            is_struck = outcome.is_err();
            if outcome.as_ref().is_err_and(|error| error.kind() == ErrorKind::CommitStateUnknown) {
                assert!(!commit.abandon());
            }
            // Another attempt ends it, whatever the first one did.
            let done = match outcome {
                Ok(done) => done,
                Err(_) => commit.attempt().unwrap(),
            };
            assert!(done.is_here);
            let table = newest(&tables);
            assert_eq!(
                (table.version(), table.deleted_rows(0).unwrap()),
                (2, rows(&[3])),
                "{fault:?} at {number}"
            );
            for (folder, files) in [("_deletions", 1), ("_transactions", 1)] {
                let found = tables.store.list(&format!("{ROOT}/{folder}")).unwrap().len();
                assert_eq!(found, files, "{folder} after {fault:?} at {number}");
            }
            if number > 40 {
                break;
            }
        }
        assert!(!is_struck, "the last call was beyond the commit");
    }
}

#[test]
fn what_a_failed_commit_wrote_goes() {
    for number in 0..40 {
        let tables = Tables::default();
        plain_table(&tables, NamingScheme::V2);
        let table = faulty(&tables, [(4 + number, Fault::Fail(ErrorKind::PermissionDenied))]);
        let commit = Commit::begin(deleting(&table, 0, &[3])).unwrap();
        if commit.attempt().is_ok() {
            continue;
        }
        let is_there = newest(&tables).version() == 2;
        assert_eq!(commit.abandon(), !is_there);
        let expected = usize::from(is_there);
        for folder in ["_deletions", "_transactions"] {
            let found = tables.store.list(&format!("{ROOT}/{folder}")).map_or(0, |files| files.len());
            assert_eq!(found, expected, "{folder} at {number}");
        }
    }
}

#[test]
fn files_of_a_commit_that_is_done_are_not_removed() {
    let tables = Tables::default();
    let table = plain_table(&tables, NamingScheme::V2);
    let commit = Commit::begin(deleting(&table, 0, &[3])).unwrap();
    commit.attempt().unwrap();
    // As after Ctrl-C, which did not wait for the attempt.
    assert!(!commit.abandon());
    assert_eq!(newest(&tables).deleted_rows(0).unwrap(), rows(&[3]));
}
