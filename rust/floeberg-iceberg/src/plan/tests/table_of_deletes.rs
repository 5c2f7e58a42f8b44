//! A table with deletes of every kind, in memory: five snapshots, some of which share delete manifests.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_avro::write::ContainerOptions;
use floeberg_core::Cancel;
use floeberg_core::expr::{BoundExpr, bind, parse};
use floeberg_core::value::Value;
use floeberg_io::MemoryStore;
use floeberg_io::testing::CountingStore;
use serde_json::json;

use crate::manifest::tests::document::document;
use crate::manifest::{
    DataFile, FileContent, ManifestCache, ManifestContent, ManifestEntry, ManifestFile, ManifestListRequest,
    ManifestListWriter, ManifestReader, ManifestRequest, ManifestWriter,
};
use crate::metadata::{TableMetadata, parse_table_metadata};
use crate::plan::PlanRequest;

pub(super) const SNAPSHOTS: i64 = 5;
const PARTITIONS: i64 = 4;

fn metadata() -> TableMetadata {
    let snapshot = |id: i64| {
        json!({
            "snapshot-id": id, "sequence-number": id, "timestamp-ms": 1, "summary": { "operation": "append" },
            "manifest-list": list_at(id)
        })
    };
    let columns = json!([
        { "id": 1, "name": "a", "required": false, "type": "int" },
        { "id": 2, "name": "b", "required": false, "type": "double" }
    ]);
    let more = json!({
        "last-column-id": 2,
        "schemas": [{ "type": "struct", "schema-id": 0, "fields": columns }],
        "partition-specs": [{ "spec-id": 0, "fields": [
            { "name": "a", "transform": "identity", "source-id": 1, "field-id": 1000 }
        ] }],
        "current-snapshot-id": 2,
        "snapshots": (1..=SNAPSHOTS).map(snapshot).collect::<Vec<_>>(),
    });
    parse_table_metadata(document(2, SNAPSHOTS, more).to_string().as_bytes(), "memory://t/m.json").unwrap()
}

fn list_at(snapshot: i64) -> String {
    format!("memory://t/list-{snapshot}.avro")
}

/// Where a manifest is: `data-0` to `data-3`, `deletes-0` to `deletes-2`.
pub(super) fn manifest_at(name: &str) -> String {
    format!("memory://t/{name}.avro")
}

fn path_of(number: i64) -> String {
    format!("memory://t/data/{number}.parquet")
}

fn file(path: String, number: i64) -> DataFile {
    let bound = |value: i64| Some(BTreeMap::from([(2, (value as f64).to_le_bytes().to_vec())]));
    let count = |count: i64| Some(BTreeMap::from([(2, count)]));
    DataFile {
        partition: vec![Some(Value::Int((number % PARTITIONS) as i32))],
        record_count: 10,
        file_size_in_bytes: 100,
        value_counts: count(10),
        null_value_counts: count(0),
        nan_value_counts: count(0),
        lower_bounds: bound(number * 10),
        upper_bounds: bound(number * 10 + 9),
        ..DataFile::new(path, "parquet")
    }
}

fn deletes(content: FileContent, name: &str, number: i64) -> DataFile {
    let is_equality = content == FileContent::EqualityDeletes;
    DataFile {
        content,
        equality_ids: is_equality.then(|| vec![2]),
        ..file(format!("memory://t/deletes/{name}-{number}.parquet"), number)
    }
}

/// Every kind of delete: of a file, of a partition, and of keys in a partition.
fn delete_files(name: &str, step: i64) -> Vec<DataFile> {
    let numbers = || (0..60).filter(move |number| number % step == 1);
    let positions =
        |name: String| numbers().map(move |number| deletes(FileContent::PositionDeletes, &name, number));
    let of_files = positions(format!("{name}-of-file"))
        .zip(numbers())
        .map(|(file, number)| DataFile { referenced_data_file: Some(path_of(number)), ..file });
    let of_partitions = positions(format!("{name}-of-partition")).take(1);
    let bare = |file: DataFile| DataFile { lower_bounds: None, upper_bounds: None, ..file };
    let of_keys =
        numbers().map(|number| deletes(FileContent::EqualityDeletes, &format!("{name}-of-keys"), number));
    of_files.chain(of_partitions).map(bare).chain(of_keys).collect()
}

fn manifest(
    store: &MemoryStore,
    metadata: &TableMetadata,
    name: &str,
    sequence_number: i64,
    files: Vec<DataFile>,
) -> ManifestFile {
    let location = manifest_at(name);
    let spec = metadata.default_spec();
    let is_data = files.iter().all(|file| file.content == FileContent::Data);
    let request = ManifestRequest {
        unknown: &[],
        location: &location,
        format_version: 2,
        content: if is_data { ManifestContent::Data } else { ManifestContent::Deletes },
        snapshot_id: sequence_number,
        schema: metadata.current_schema(),
        spec,
        partition_type: &spec.partition_type(metadata).unwrap(),
    };
    // Blocks of a few entries, so that threads have block ranges to share.
    let container = ContainerOptions { block_bytes: 512, ..ContainerOptions::default() };
    let mut writer = ManifestWriter::new(Vec::new(), &request, &container).unwrap();
    for file in files {
        let entry = ManifestEntry { snapshot_id: Some(sequence_number), ..ManifestEntry::added(file) };
        writer.add(&entry).unwrap();
    }
    let (bytes, written) = writer.finish().unwrap();
    store.put(&location, bytes);
    written.in_commit(sequence_number)
}

fn list(store: &MemoryStore, snapshot: i64, manifests: &[&ManifestFile]) {
    let location = list_at(snapshot);
    let request = ManifestListRequest {
        unknown: &[],
        location: &location,
        format_version: 2,
        snapshot_id: snapshot,
        parent_snapshot_id: None,
        sequence_number: snapshot,
        first_row_id: None,
    };
    let mut list = ManifestListWriter::new(Vec::new(), &request, &ContainerOptions::default()).unwrap();
    for manifest in manifests {
        list.add(manifest).unwrap();
    }
    store.put(&location, list.finish().unwrap().0);
}

/// What plans a snapshot of the table without a cache, and a store that counts.
///
/// 1 is data; 2 has deletes, 3 the same deletes and more data, 4 more deletes, and 5 one delete manifest of other deletes.
pub(super) fn table() -> (PlanRequest, CountingStore) {
    let metadata = metadata();
    let store = MemoryStore::new();
    let data: Vec<ManifestFile> = (0..4)
        .map(|number| {
            let files = (number * 20..number * 20 + 20).map(|number| file(path_of(number), number));
            manifest(&store, &metadata, &format!("data-{number}"), 1, files.collect())
        })
        .collect();
    let deletes: Vec<ManifestFile> = [3, 5, 7]
        .into_iter()
        .enumerate()
        .map(|(number, step)| {
            let name = format!("deletes-{number}");
            manifest(&store, &metadata, &name, 2, delete_files(&name, step))
        })
        .collect();
    let [base, more] = [&data[..3], &data[3..]].map(|data| data.iter().collect::<Vec<_>>());
    let of = |data: &[&Vec<&'_ ManifestFile>], deletes: &[&'_ ManifestFile]| -> Vec<ManifestFile> {
        data.iter().flat_map(|data| data.iter().copied()).chain(deletes.iter().copied()).cloned().collect()
    };
    let snapshots = [
        of(&[&base], &[]),
        of(&[&base], &[&deletes[0]]),
        of(&[&base, &more], &[&deletes[0]]),
        of(&[&base], &[&deletes[0], &deletes[1]]),
        of(&[&base], &[&deletes[2]]),
    ];
    for (id, manifests) in (1..).zip(&snapshots) {
        list(&store, id, &manifests.iter().collect::<Vec<_>>());
    }
    let store = CountingStore::new(Arc::new(store));
    let request = PlanRequest {
        metadata_location: "memory://t/m.json".to_owned(),
        snapshot: metadata.current_snapshot().cloned(),
        appends: None,
        manifests: None,
        statistics_of: None,
        schema: Arc::clone(metadata.current_schema()),
        metadata: Arc::new(metadata),
        filter: BoundExpr::True,
        reader: ManifestReader {
            store: Arc::new(store.clone()),
            relocation: Arc::default(),
            cache: Arc::new(ManifestCache::new(0)),
            threads: 2,
            cancel: Cancel::default(),
            is_planned_by_server: false,
        },
        to_change: None,
        verbose: false,
        memory: 1 << 20,
    };
    (request, store)
}

/// The request for a snapshot, with a filter.
pub(super) fn of(request: &PlanRequest, snapshot: i64, filter: &str) -> PlanRequest {
    let metadata = &request.metadata;
    PlanRequest {
        snapshot: metadata.snapshots.iter().find(|known| known.snapshot_id == snapshot).cloned(),
        filter: bind(&parse(filter).unwrap(), &request.schema, true).unwrap(),
        ..request.clone()
    }
}
