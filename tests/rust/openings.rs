//! Which files does planning open?
//!
//! Where Spark plans, data files may be out of reach: tasks open them.

use std::collections::BTreeSet;
use std::sync::Arc;

use floeberg_core::Cancel;
use floeberg_iceberg::manifest::ManifestReader;
use floeberg_iceberg::plan::{PlanRequest, SplitOptions, plan};
use floeberg_iceberg::{GroupRecipe, ReadRecipe, Scan};
use floeberg_io::testing::CountingStore;

use crate::recipes::scans;

/// Plans a scan, cuts the plan into groups that can be sent, and says what was opened and what the groups read.
fn openings(scan: &Scan) -> (BTreeSet<String>, BTreeSet<String>) {
    let store = CountingStore::new(Arc::clone(scan.table().store()));
    let request = scan.plan_request(&Cancel::default()).unwrap();
    let reader = ManifestReader { store: Arc::new(store.clone()), ..request.reader };
    let request = PlanRequest { reader, ..request };
    let groups = Arc::new(plan(request).unwrap()).split(SplitOptions::default()).unwrap();
    let read = Arc::new(ReadRecipe::of(scan).unwrap());
    let mut to_read = BTreeSet::new();
    for group in groups {
        for task in group.tasks().map(Result::unwrap) {
            to_read.insert(task.location.clone());
            to_read.extend(task.deletes.iter().map(|delete| delete.location.clone()));
        }
        GroupRecipe::new(Arc::clone(&read), group).to_bytes().unwrap();
    }
    (store.by_location().into_keys().collect(), to_read)
}

#[test]
fn planning_opens_manifest_lists_and_manifests_and_nothing_that_is_to_be_read() {
    let (mut opened_at_all, mut read_at_all) = (0, 0);
    for (name, scan) in scans() {
        let (_, everything) = openings(&Scan::new(scan.table().clone()));
        let (opened, to_read) = openings(&scan);
        assert!(opened.is_disjoint(&everything), "{name}: {opened:?}");
        assert!(to_read.is_subset(&everything), "{name}");
        opened_at_all += opened.len();
        read_at_all += to_read.len();
    }
    assert!(opened_at_all > 1000 && read_at_all > 1000, "{opened_at_all} opened, {read_at_all} to read");
}
