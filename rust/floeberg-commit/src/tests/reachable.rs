//! What can be reached from a table's metadata is what its snapshots need, and what they share is read once.

use std::collections::BTreeSet;
use std::sync::Arc;

use floeberg_core::Cancel;
use floeberg_iceberg::manifest::{AllManifests, FileRole, ManifestReader, ReachableFile, ReachableFiles};
use floeberg_io::MemoryStore;
use floeberg_io::testing::CountingStore;

use super::kit::{Kit, append, delete, merge_append};

/// Appends that share manifests, one that merges them, and a delete.
fn table() -> Kit {
    let mut kit = Kit::partitioned(2, &[("commit.manifest.min-count-to-merge", "2")]);
    for number in 0..5 {
        kit.commit(vec![append(&format!("memory://data/{number}.parquet"), "mon")]);
    }
    kit.commit(vec![merge_append("memory://data/tue.parquet", "tue")]);
    kit.commit(vec![delete("day = 'mon'")]);
    kit
}

fn reader(threads: usize) -> (ManifestReader, CountingStore) {
    let store = CountingStore::new(Arc::new(MemoryStore::shared().clone()));
    let reader = ManifestReader {
        store: Arc::new(store.clone()),
        relocation: Arc::default(),
        cache: Arc::new(floeberg_iceberg::manifest::ManifestCache::new(0)),
        threads,
        cancel: Cancel::default(),
        is_planned_by_server: false,
    };
    (reader, store)
}

#[test]
fn each_manifest_of_all_snapshots_comes_once() {
    let kit = table();
    let mut expected = Vec::new();
    for snapshot in &kit.metadata().snapshots {
        for manifest in kit.manifests_of(snapshot.snapshot_id) {
            if !expected.contains(&manifest.manifest_path) {
                expected.push(manifest.manifest_path);
            }
        }
    }
    for threads in [1, 3] {
        let found = AllManifests::new(reader(threads).0, kit.metadata().snapshots.clone());
        let found: Vec<_> = found.map(|manifest| manifest.unwrap().manifest_path).collect();
        assert_eq!(found, expected, "{threads} threads");
    }
    let of_table = kit.table.as_ref().unwrap().all_manifests(&Cancel::default()).unwrap();
    assert_eq!(of_table.count(), expected.len());
}

#[test]
fn all_files_that_snapshots_need_can_be_reached_and_each_manifest_is_read_once() {
    let kit = table();
    let at = kit.table.as_ref().unwrap().metadata_location().to_owned();
    for threads in [1, 3] {
        let (reader, store) = reader(threads);
        let found = ReachableFiles::new(reader, kit.metadata(), &at).unwrap();
        assert!(store.by_location().is_empty(), "nothing is read before the first file is asked for");
        let found: Vec<ReachableFile> = found.map(Result::unwrap).collect();
        let name = |file: &ReachableFile| file.location.rsplit('/').next().unwrap().to_owned();
        let of_metadata = found.iter().filter(|file| file.role != FileRole::Data);
        assert_eq!(of_metadata.map(name).collect::<BTreeSet<_>>(), kit.needed());
        let data = found.iter().filter(|file| file.role == FileRole::Data);
        let data: BTreeSet<_> = data.map(|file| file.location.as_str()).collect();
        let mon = (0..5).map(|number| format!("memory://data/{number}.parquet"));
        let expected: BTreeSet<_> = mon.chain(["memory://data/tue.parquet".to_owned()]).collect();
        assert_eq!(data, expected.iter().map(String::as_str).collect(), "deleted files of old snapshots too");
        for (location, counts) in store.by_location() {
            assert_eq!(counts.opens, 1, "{location}");
        }
    }
}

#[test]
fn after_an_error_nothing_follows() {
    let kit = table();
    let lost = kit.manifests().pop().unwrap().manifest_path;
    floeberg_io::Store::remove(&MemoryStore::shared(), &lost).unwrap();
    let at = kit.table.as_ref().unwrap().metadata_location().to_owned();
    let mut found = ReachableFiles::new(reader(2).0, kit.metadata(), &at).unwrap();
    let error = found.by_ref().find_map(Result::err).unwrap();
    assert_eq!(error.kind(), floeberg_core::ErrorKind::NotFound);
    assert!(found.next().is_none());
}
