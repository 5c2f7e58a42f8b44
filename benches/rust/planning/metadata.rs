//! What does the table's metadata file say?

use floeberg_core::Result;
use floeberg_iceberg::metadata::{TableMetadata, parse_table_metadata};
use serde_json::{Value as Json, json};

use super::TableOptions;

pub(super) const SNAPSHOT: i64 = 1;
/// The deletes are of a later commit than the data.
pub(super) const DATA_SEQUENCE_NUMBER: i64 = 1;
pub(super) const DELETES_SEQUENCE_NUMBER: i64 = 2;

const COLUMNS: [(&str, &str); 12] = [
    ("id", "long"),
    ("ts", "timestamptz"),
    ("day", "date"),
    ("customer", "long"),
    ("quantity", "int"),
    ("price", "double"),
    ("discount", "float"),
    ("amount", "decimal(12,2)"),
    ("country", "string"),
    ("product", "string"),
    ("note", "string"),
    ("paid", "boolean"),
];

/// The JSON of a table with one snapshot, of that sequence number; `rows` are ids that it assigned (v3).
pub(super) fn metadata(options: &TableOptions, sequence_number: i64, rows: i64) -> Json {
    let folder = options.folder.display().to_string();
    let fields: Vec<Json> = (1..)
        .zip(COLUMNS)
        .map(|(id, (name, kind))| json!({"id": id, "name": name, "required": false, "type": kind}))
        .collect();
    let (version, time) = (options.format_version, 1_700_000_000_000_i64);
    let schema = json!({"type": "struct", "schema-id": 0, "fields": fields});
    let spec = json!([
        {"name": "ts_day", "transform": "day", "source-id": 2, "field-id": 1000},
        {"name": "id_bucket", "transform": "bucket[16]", "source-id": 1, "field-id": 1001}
    ]);
    let mut snapshot = json!({
        "snapshot-id": SNAPSHOT,
        "timestamp-ms": time,
        "manifest-list": list_location(options),
        "summary": {"operation": "append"},
        "schema-id": 0
    });
    let mut table = json!({
        "format-version": version,
        "table-uuid": "9d4f8a4e-6a1c-4f1e-8d2e-2f6c3b0a7e11",
        "location": folder,
        "last-updated-ms": time,
        "last-column-id": COLUMNS.len(),
        "current-schema-id": 0,
        "schemas": [schema],
        "default-spec-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": spec}],
        "last-partition-id": 1001,
        "default-sort-order-id": 0,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "properties": {},
        "current-snapshot-id": SNAPSHOT,
        "refs": {"main": {"snapshot-id": SNAPSHOT, "type": "branch"}},
        "snapshot-log": [{"timestamp-ms": time, "snapshot-id": SNAPSHOT}],
        "metadata-log": []
    });
    if version == 1 {
        table["schema"] = schema;
        table["partition-spec"] = spec;
    } else {
        table["last-sequence-number"] = sequence_number.into();
        snapshot["sequence-number"] = sequence_number.into();
    }
    if version >= 3 {
        table["next-row-id"] = rows.into();
        snapshot["first-row-id"] = 0.into();
        snapshot["added-rows"] = rows.into();
    }
    table["snapshots"] = json!([snapshot]);
    table
}

/// The same, as the library sees it: its schema and its spec.
pub(super) fn model(options: &TableOptions) -> Result<TableMetadata> {
    let json = metadata(options, DATA_SEQUENCE_NUMBER, 0).to_string();
    parse_table_metadata(json.as_bytes(), &options.folder.display().to_string())
}

pub(super) fn list_location(options: &TableOptions) -> String {
    options.folder.join("metadata").join("list.avro").display().to_string()
}
