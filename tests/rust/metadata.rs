//! Does the metadata of every case say what its oracle says it says?

use std::fs;

use corpus::{Case, cases};
use floeberg_core::schema::value_json::{from_json, to_json};
use floeberg_core::schema::{Field, Schema, Type, json::schema_to_json};
use floeberg_iceberg::metadata::{
    NullOrder, PartitionSpec, RefKind, Snapshot, SnapshotManifests, SnapshotRef, SortDirection, SortOrder,
    TableMetadata, parse_table_metadata,
};
use serde_json::{Value as Json, json};

/// The current metadata of a case.
pub(crate) fn metadata(case: &Case) -> TableMetadata {
    let bytes = fs::read(case.metadata_file()).unwrap();
    parse_table_metadata(&bytes, case.text("metadata_location"))
        .unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

/// Every case that is a table.
pub(crate) fn tables() -> Vec<Case> {
    cases().into_iter().filter(|case| !case.is_view()).collect()
}

#[test]
fn every_table_says_what_its_oracle_says() {
    for case in tables() {
        let found = facts(&metadata(&case));
        for (name, fact) in found.as_object().unwrap() {
            assert_eq!(fact, &expected(&case, name), "{}: {name}", case.name);
        }
    }
}

#[test]
fn every_table_survives_being_written_and_read_again() {
    for case in tables() {
        let first = metadata(&case);
        let written = serde_json::to_vec(&first.to_json().unwrap()).unwrap();
        let second = parse_table_metadata(&written, case.text("metadata_location"))
            .unwrap_or_else(|error| panic!("{}: {error}", case.name));
        assert_eq!(first, second, "{}", case.name);
    }
}

#[test]
fn every_former_metadata_file_that_is_left_parses() {
    let mut files = 0;
    for case in tables() {
        for entry in &metadata(&case).metadata_log {
            let Ok(bytes) = fs::read(case.place(&entry.metadata_file)) else { continue };
            let former = parse_table_metadata(&bytes, &entry.metadata_file);
            former.unwrap_or_else(|error| panic!("{}: {error}", case.name));
            files += 1;
        }
    }
    assert!(files > 200, "{files} former metadata files");
}

/// A fact of `expected.json` in the form that [`facts`] has it.
fn expected(case: &Case, name: &str) -> Json {
    let mut fact = case.expected[name].clone();
    match name {
        "schemas" => {
            let schemas = fact.as_array_mut().unwrap().iter_mut();
            for field in schemas.flat_map(|schema| schema["fields"].as_array_mut().unwrap()) {
                normalize(field);
            }
        }
        // Those of snapshots whose manifests stand in the metadata itself have no list.
        "snapshots" => {
            for snapshot in fact.as_array_mut().unwrap() {
                snapshot.as_object_mut().unwrap().remove("manifests");
            }
        }
        _ => {}
    }
    fact
}

/// Types without spaces, and defaults in the form that we write.
fn normalize(field: &mut Json) {
    let name = field["type"].as_str().unwrap().replace(", ", ",");
    for key in ["initial_default", "write_default"] {
        if let Some(default) = field.get(key) {
            field[key] = as_we_write(default, &name);
        }
    }
    field["type"] = Json::from(name);
}

/// A value of a type in the form that we write: the corpus has all digits of a time, we drop the zeros at the end.
pub(crate) fn as_we_write(value: &Json, type_name: &str) -> Json {
    let field_type: Type = type_name.parse().unwrap();
    to_json(from_json(value, &field_type).unwrap().as_ref(), &field_type).unwrap()
}

fn facts(table: &TableMetadata) -> Json {
    let log: Vec<Json> =
        table.snapshot_log.iter().map(|entry| json!([entry.timestamp_ms, entry.snapshot_id])).collect();
    let files: Vec<&str> = table.metadata_log.iter().map(|entry| entry.metadata_file.as_str()).collect();
    let refs: serde_json::Map<_, _> =
        table.refs.iter().map(|(name, reference)| (name.clone(), ref_facts(reference))).collect();
    let mut facts = json!({
        "format_version": table.format_version,
        "table_uuid": table.table_uuid,
        "location": table.location,
        "last_sequence_number": table.last_sequence_number,
        "last_updated_ms": table.last_updated_ms,
        "last_column_id": table.last_column_id,
        "last_partition_id": table.last_partition_id,
        "properties": table.properties,
        "schemas": table.schemas.iter().map(|schema| schema_facts(schema)).collect::<Vec<_>>(),
        "current_schema_id": table.current_schema_id,
        "partition_specs": table.partition_specs.iter().map(|spec| spec_facts(spec)).collect::<Vec<_>>(),
        "default_spec_id": table.default_spec_id,
        "sort_orders": table.sort_orders.iter().map(|order| order_facts(order)).collect::<Vec<_>>(),
        "default_sort_order_id": table.default_sort_order_id,
        "snapshots": table.snapshots.iter().map(|snapshot| snapshot_facts(snapshot)).collect::<Vec<_>>(),
        "current_snapshot_id": table.current_snapshot_id,
        "snapshot_log": log,
        "metadata_log": files,
        "refs": refs,
    });
    if let Some(next) = table.next_row_id {
        facts["next_row_id"] = Json::from(next);
    }
    facts
}

fn schema_facts(schema: &Schema) -> Json {
    let mut fields = Vec::new();
    for field in schema.fields() {
        field_facts(field, "", &mut fields);
    }
    fields.sort_by_key(|field| field["id"].as_i64());
    // Defaults go through their JSON form and back.
    assert!(schema_to_json(schema).is_ok());
    json!({
        "schema_id": schema.schema_id(),
        "identifier_field_ids": schema.identifier_field_ids(),
        "columns": schema.fields().iter().map(|field| field.name.as_str()).collect::<Vec<_>>(),
        "fields": fields,
    })
}

fn field_facts(field: &Field, prefix: &str, all: &mut Vec<Json>) {
    let name = format!("{prefix}{}", field.name);
    let kind = match &field.field_type {
        Type::Struct(_) => "struct".to_owned(),
        Type::List(_) => "list".to_owned(),
        Type::Map(_) => "map".to_owned(),
        primitive => primitive.to_string().replace(", ", ","),
    };
    let mut facts = json!({"id": field.id, "name": name, "type": kind, "required": field.required});
    if let Some(doc) = &field.doc {
        facts["doc"] = Json::from(doc.as_str());
    }
    for (key, default) in
        [("initial_default", &field.initial_default), ("write_default", &field.write_default)]
    {
        if let Some(value) = default {
            let text = to_json(Some(value), &field.field_type).unwrap();
            assert_eq!(from_json(&text, &field.field_type).unwrap().as_ref(), Some(value));
            facts[key] = text;
        }
    }
    all.push(facts);
    for child in field.field_type.children() {
        field_facts(child, &format!("{name}."), all);
    }
}

fn spec_facts(spec: &PartitionSpec) -> Json {
    let fields = spec.fields.iter().map(|field| {
        json!({
            "field_id": field.field_id,
            "source_id": field.source_ids[0],
            "name": field.name,
            "transform": field.transform.to_string(),
        })
    });
    json!({"spec_id": spec.spec_id, "fields": fields.collect::<Vec<_>>()})
}

fn order_facts(order: &SortOrder) -> Json {
    let fields = order.fields.iter().map(|field| {
        json!({
            "source_id": field.source_ids[0],
            "transform": field.transform.to_string(),
            "direction": if field.direction == SortDirection::Ascending { "asc" } else { "desc" },
            "null_order": if field.null_order == NullOrder::First { "nulls-first" } else { "nulls-last" },
        })
    });
    json!({"order_id": order.order_id, "fields": fields.collect::<Vec<_>>()})
}

fn snapshot_facts(snapshot: &Snapshot) -> Json {
    let list = match &snapshot.manifests {
        SnapshotManifests::List(location) => Some(location),
        SnapshotManifests::Inline(_) => None,
    };
    let mut facts = json!({
        "snapshot_id": snapshot.snapshot_id,
        "parent_id": snapshot.parent_snapshot_id,
        "sequence_number": snapshot.sequence_number,
        "timestamp_ms": snapshot.timestamp_ms,
        "operation": snapshot.operation,
        "schema_id": snapshot.schema_id,
        "manifest_list": list,
        "summary": *snapshot.summary,
    });
    if let Some(first) = snapshot.first_row_id {
        facts["first_row_id"] = Json::from(first);
        facts["added_rows"] = Json::from(snapshot.added_rows);
    }
    facts
}

fn ref_facts(reference: &SnapshotRef) -> Json {
    let kind = if reference.kind == RefKind::Branch { "branch" } else { "tag" };
    let mut facts = json!({"type": kind, "snapshot_id": reference.snapshot_id});
    let limits = [
        ("min_snapshots_to_keep", reference.min_snapshots_to_keep.map(i64::from)),
        ("max_snapshot_age_ms", reference.max_snapshot_age_ms),
        ("max_ref_age_ms", reference.max_ref_age_ms),
    ];
    for (key, limit) in limits {
        if let Some(limit) = limit {
            facts[key] = Json::from(limit);
        }
    }
    facts
}
