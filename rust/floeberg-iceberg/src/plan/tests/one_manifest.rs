//! A table of one manifest, in memory, whose manifest list and manifest are made field by field.

use std::sync::Arc;

use apache_avro::types::Value;
use floeberg_core::Cancel;
use floeberg_core::expr::BoundExpr;
use floeberg_io::MemoryStore;
use serde_json::Value as Json;

use crate::manifest::{ManifestCache, ManifestReader};
use crate::metadata::parse_table_metadata;
use crate::plan::PlanRequest;
use crate::read::tests::avro_fixture::{avro, of};

pub(super) const LIST: &str = "memory://t/list.avro";
pub(super) const MANIFEST: &str = "memory://t/manifest.avro";

/// A manifest list of one manifest, with a field beside those that it must have.
pub(super) fn manifest_list(field: &str, name: &'static str, value: Value) -> Vec<u8> {
    let fields = r#"{"name":"manifest_path","type":"string","field-id":500},
        {"name":"manifest_length","type":"long","field-id":501},
        {"name":"partition_spec_id","type":"int","field-id":502},
        {"name":"sequence_number","type":"long","field-id":515},
        {"name":"min_sequence_number","type":"long","field-id":516},
        {"name":"added_snapshot_id","type":"long","field-id":503}"#;
    let row = vec![
        ("manifest_path", Value::String(MANIFEST.to_owned())),
        ("manifest_length", Value::Long(1)),
        ("partition_spec_id", Value::Int(0)),
        ("sequence_number", Value::Long(1)),
        ("min_sequence_number", Value::Long(1)),
        ("added_snapshot_id", Value::Long(1)),
        (name, value),
    ];
    avro(&format!("{fields},{field}"), &[row], 1)
}

/// An added data file: its path, its rows, and the value of a field beside those that it must have.
pub(super) type File = (String, i64, Value);

/// A manifest of data files, each of which has a field beside those that it must have, in blocks of so many.
pub(super) fn manifest(field: &str, name: &str, files: Vec<File>, block_rows: usize) -> Vec<u8> {
    let fields = r#"{"name":"file_path","type":"string","field-id":100},
        {"name":"file_format","type":"string","field-id":101},
        {"name":"partition","field-id":102,"type":{"type":"record","name":"r102","fields":[]}},
        {"name":"record_count","type":"long","field-id":103},
        {"name":"file_size_in_bytes","type":"long","field-id":104}"#;
    let entry = format!(
        r#"{{"name":"status","type":"int","field-id":0}},
        {{"name":"data_file","field-id":2,"type":{{"type":"record","name":"r2","fields":[{fields},{field}]}}}}"#
    );
    let rows = files.into_iter().map(|(path, records, value)| {
        let file = of(&[
            ("file_path", Value::String(path)),
            ("file_format", Value::String("PARQUET".to_owned())),
            ("partition", Value::Record(Vec::new())),
            ("record_count", Value::Long(records)),
            ("file_size_in_bytes", Value::Long(100)),
            (name, value),
        ]);
        vec![("status", Value::Int(1)), ("data_file", file)]
    });
    avro(&entry, &rows.collect::<Vec<_>>(), block_rows)
}

/// What plans the current snapshot of a table.
pub(super) fn request(metadata: &Json, list: Vec<u8>, manifest: Vec<u8>, threads: usize) -> PlanRequest {
    let store = MemoryStore::new();
    store.put(LIST, list);
    store.put(MANIFEST, manifest);
    let metadata_location = "memory://t/m.json".to_owned();
    let metadata = parse_table_metadata(metadata.to_string().as_bytes(), &metadata_location).unwrap();
    PlanRequest {
        metadata_location,
        snapshot: metadata.current_snapshot().cloned(),
        appends: None,
        manifests: None,
        statistics_of: None,
        schema: Arc::clone(metadata.current_schema()),
        metadata: Arc::new(metadata),
        filter: BoundExpr::True,
        reader: ManifestReader {
            store: Arc::new(store),
            relocation: Arc::default(),
            cache: Arc::new(ManifestCache::new(0)),
            threads,
            cancel: Cancel::default(),
            is_planned_by_server: false,
        },
        to_change: None,
        verbose: false,
        memory: 1 << 20,
    }
}
