use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_avro::write::ContainerOptions;
use floeberg_core::value::Value;
use floeberg_iceberg::manifest::{
    DataFile, FileContent, ManifestContent, ManifestEntry, ManifestListRequest, ManifestListWriter,
    ManifestRequest, ManifestWriter,
};
use floeberg_iceberg::metadata::{RefKind, Snapshot, SnapshotManifests, SnapshotRef, SnapshotText};
use floeberg_io::location::join;
use floeberg_io::{MemoryStore, Store};

use super::kit::{Kit, append, delete, file, receipt};
use crate::{Operation, Previous, Update, apply};

fn vector(of: &str, day: &str) -> DataFile {
    DataFile {
        content: FileContent::PositionDeletes,
        partition: vec![Some(Value::String(day.to_owned()))],
        record_count: 3,
        file_size_in_bytes: 1000,
        referenced_data_file: Some(of.to_owned()),
        content_offset: Some(4),
        content_size_in_bytes: Some(40),
        ..DataFile::new("deletes.puffin", "puffin")
    }
}

fn equality(path: &str, day: &str) -> DataFile {
    DataFile {
        content: FileContent::EqualityDeletes,
        partition: vec![Some(Value::String(day.to_owned()))],
        record_count: 2,
        file_size_in_bytes: 50,
        equality_ids: Some(vec![1]),
        ..DataFile::new(path, "parquet")
    }
}

/// Another writer's snapshot that adds delete files.
fn add_deletes(kit: &mut Kit, files: &[DataFile]) {
    let table = kit.table.clone().unwrap();
    let metadata = table.metadata();
    let (snapshot_id, sequence_number) = (4711, metadata.last_sequence_number + 1);
    let store = MemoryStore::shared();
    let spec = metadata.default_spec();
    let at = |name: &str| join(&metadata.metadata_folder(), name);
    let (manifest_at, list_at) = (at("deletes-m0.avro"), at("snap-4711.avro"));
    let request = ManifestRequest {
        unknown: &[],
        location: &manifest_at,
        format_version: metadata.format_version,
        content: ManifestContent::Deletes,
        snapshot_id,
        schema: metadata.current_schema(),
        spec,
        partition_type: &spec.partition_type(metadata).unwrap(),
    };
    let mut writer = ManifestWriter::new(Vec::new(), &request, &ContainerOptions::default()).unwrap();
    for file in files {
        writer.add(&ManifestEntry::added(file.clone())).unwrap();
    }
    let (bytes, written) = writer.finish().unwrap();
    Store::put(&store, &manifest_at, bytes.into()).unwrap();
    let first_row_id = metadata.next_row_id;
    let request = ManifestListRequest {
        unknown: &[],
        location: &list_at,
        format_version: metadata.format_version,
        snapshot_id,
        parent_snapshot_id: metadata.current_snapshot_id,
        sequence_number,
        first_row_id,
    };
    let mut list = ManifestListWriter::new(Vec::new(), &request, &ContainerOptions::default()).unwrap();
    for manifest in kit.manifests() {
        list.add(&manifest).unwrap();
    }
    list.add(&written.in_commit(sequence_number)).unwrap();
    Store::put(&store, &list_at, list.finish().unwrap().0.into()).unwrap();
    let mut summary = BTreeMap::clone(&metadata.current_snapshot().unwrap().summary);
    let of = |content| files.iter().filter(move |file| file.content == content).map(|file| file.record_count);
    summary.insert("total-delete-files".to_owned(), files.len().to_string());
    let positions: i64 = of(FileContent::PositionDeletes).sum();
    summary.insert("total-position-deletes".to_owned(), positions.to_string());
    let keys: i64 = of(FileContent::EqualityDeletes).sum();
    summary.insert("total-equality-deletes".to_owned(), keys.to_string());
    let snapshot = Snapshot {
        snapshot_id,
        parent_snapshot_id: metadata.current_snapshot_id,
        sequence_number,
        timestamp_ms: metadata.last_updated_ms,
        manifests: SnapshotManifests::List(list_at),
        operation: Some("delete".to_owned()),
        summary: summary.into(),
        schema_id: Some(0),
        first_row_id,
        added_rows: first_row_id.map(|_| 0),
        key_id: None,
        unknown_keys: serde_json::Map::new(),
        text: SnapshotText::default(),
    };
    let updates = [
        Update::AddSnapshot(Arc::new(snapshot)),
        Update::SetSnapshotRef("main".to_owned(), SnapshotRef::new(snapshot_id, RefKind::Branch)),
    ];
    let previous = Previous { metadata, metadata_location: table.metadata_location() };
    let after = apply(Some(previous), &[], &updates, metadata.last_updated_ms).unwrap();
    kit.table = Some(table.moved_on(Arc::new(after), at("other.metadata.json")).unwrap());
}

fn live_deletes(kit: &Kit) -> Vec<String> {
    let mut live: Vec<String> = Vec::new();
    for manifest in kit.manifests().iter().filter(|manifest| manifest.content == ManifestContent::Deletes) {
        for entry in kit.entries(manifest) {
            if entry.status != floeberg_iceberg::manifest::EntryStatus::Deleted {
                let file = &entry.data_file;
                live.push(file.referenced_data_file.clone().unwrap_or_else(|| file.file_path.clone()));
            }
        }
    }
    live.sort();
    live
}

#[test]
fn with_a_data_file_its_vector_goes_and_others_stay() {
    let mut kit = Kit::partitioned(3, &[]);
    let files = vec![file("low", "x", (0, 9)), file("high", "x", (100, 109)), file("y", "y", (0, 9))];
    kit.commit(vec![Operation::Append { receipt: receipt(files), merge: None }]);
    add_deletes(&mut kit, &[vector("low", "x"), vector("high", "x"), vector("y", "y")]);
    kit.commit(vec![delete("day = 'x' AND id < 50")]);
    assert_eq!(live_deletes(&kit), ["high", "y"]);
    for (name, value) in [
        ("deleted-data-files", "1"),
        ("removed-delete-files", "1"),
        ("removed-dvs", "1"),
        ("removed-position-deletes", "3"),
        ("removed-files-size", "140"),
        ("total-delete-files", "2"),
        ("total-position-deletes", "6"),
        ("total-equality-deletes", "0"),
    ] {
        assert_eq!(kit.said(name), Some(value), "{name}");
    }
}

#[test]
fn what_deletes_only_rows_that_are_gone_goes_with_them() {
    let mut kit = Kit::partitioned(2, &[]);
    kit.commit(vec![append("x", "x"), append("y", "y")]);
    add_deletes(&mut kit, &[equality("of-x", "x"), equality("of-y", "y")]);
    kit.commit(vec![append("late", "x")]);
    kit.commit(vec![delete("day = 'y'")]);
    assert_eq!(live_deletes(&kit), ["of-x"], "the whole partition went, and its deletes with it");
    assert_eq!(kit.said("removed-equality-deletes"), Some("2"));
    let replace =
        Operation::DynamicOverwrite { receipt: receipt(vec![file("n", "x", (0, 9))]), isolation: None };
    kit.commit(vec![replace]);
    assert_eq!(live_deletes(&kit), Vec::<String>::new());
    assert_eq!(kit.said("total-delete-files"), Some("0"));
    assert_eq!(kit.live_paths(), ["n"]);
}

#[test]
fn what_keys_files_say_of_other_columns_does_not_remove_them() {
    let mut kit = Kit::partitioned(2, &[]);
    let files = vec![file("a", "x", (0, 9)), file("b", "x", (50, 50))];
    kit.commit(vec![Operation::Append { receipt: receipt(files), merge: None }]);
    // Each deletes all rows of the partition. One says that these had the id 50, which is not a key.
    let of_50 = |path: &str, keys: Vec<i32>| {
        let like = file(path, "x", (50, 50)).file;
        DataFile { content: FileContent::EqualityDeletes, equality_ids: Some(keys), ..like }
    };
    add_deletes(&mut kit, &[of_50("by-day", vec![2]), of_50("by-both", vec![1, 2])]);
    kit.commit(vec![delete("id = 50")]);
    assert_eq!(kit.live_paths(), ["a", "by-day"], "only rows with the id 50 are gone");
    kit.commit(vec![append("y", "y")]);
    kit.commit(vec![delete("day = 'x'")]);
    assert_eq!(kit.live_paths(), ["y"], "the partition is gone");
}

#[test]
fn deletes_that_are_older_than_every_data_file_go_when_their_manifest_is_rewritten() {
    let mut kit = Kit::partitioned(2, &[("write.delete.isolation-level", "snapshot")]);
    kit.commit(vec![append("old", "x")]);
    add_deletes(&mut kit, &[equality("of-x", "x"), equality("of-z", "z")]);
    kit.commit(vec![append("new", "y")]);
    kit.commit(vec![delete("day = 'q'")]);
    assert_eq!(live_deletes(&kit), ["of-x", "of-z"], "a manifest that need not be looked into is not");
    kit.commit(vec![delete("day = 'x'")]);
    assert_eq!(live_deletes(&kit), Vec::<String>::new());
    assert_eq!(kit.live_paths(), ["new"]);
}

#[test]
fn deletes_that_others_added_meanwhile_are_a_conflict() {
    let mut kit = Kit::partitioned(2, &[("write.delete.isolation-level", "snapshot")]);
    kit.commit(vec![append("a", "x"), append("b", "y")]);
    let commits = ["x", "y"].map(|day| kit.begin(vec![delete(&format!("day = '{day}'"))], day));
    add_deletes(&mut kit, &[equality("of-x", "x")]);
    let error = kit.attempt(&commits[0]).unwrap_err();
    assert!(error.to_string().contains("added deletes") && error.to_string().contains("of-x"), "{error}");
    kit.attempt(&commits[1]).unwrap();
}

#[test]
fn appends_leave_deletes_alone() {
    let mut kit = Kit::partitioned(3, &[("commit.manifest.min-count-to-merge", "2")]);
    kit.commit(vec![append("a", "x")]);
    add_deletes(&mut kit, &[vector("a", "x")]);
    kit.commit(vec![append("b", "x")]);
    kit.commit(vec![super::kit::merge_append("c", "x")]);
    assert_eq!(live_deletes(&kit), ["a"]);
    assert_eq!(kit.said("total-delete-files"), Some("1"));
}
