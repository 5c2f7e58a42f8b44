//! Does every manifest of every case list what its oracle says it lists, inheritance applied?

use std::fs;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, BinaryArray, Int64Array};
use corpus::{Case, known_failures};
use floeberg_core::arrow_values::from_array;
use floeberg_core::schema::StructType;
use floeberg_core::schema::value_json::to_json;
use floeberg_core::{Error, Result};
use floeberg_iceberg::manifest::{
    EntryRequest, ManifestContent, ManifestEntries, ManifestFile, parse_manifest, parse_manifest_list,
};
use floeberg_iceberg::metadata::{SnapshotManifests, TableMetadata};
use serde_json::{Map, Value as Json, json};

use crate::metadata::{as_we_write, metadata, tables};

#[test]
fn every_manifest_lists_what_its_oracle_says() {
    let failing: Vec<_> = known_failures()
        .into_iter()
        .filter(|failure| failure.parts.iter().any(|part| part == "manifests"))
        .collect();
    let mut manifests = 0;
    for case in tables() {
        let outcome = check(&case, &mut manifests);
        match failing.iter().find(|failure| failure.case == case.name) {
            None => outcome.unwrap_or_else(|error| panic!("{}: {error}", case.name)),
            Some(failure) => {
                let error = outcome.expect_err(&format!("{} passes now: strike it from the list", case.name));
                assert_eq!(format!("{:?}", error.kind()), failure.kind, "{}: {error}", case.name);
            }
        }
    }
    assert!(manifests > 250, "{manifests} manifests");
}

fn check(case: &Case, manifests: &mut usize) -> Result<()> {
    let table = metadata(case);
    let Some(snapshot) = table.current_snapshot() else { return Ok(()) };
    let SnapshotManifests::List(list) = &snapshot.manifests else { return Ok(()) };
    let files = parse_manifest_list(&fs::read(case.place(list)).unwrap(), list)?;
    let expected = case.expected["manifests"].as_array().unwrap();
    assert_eq!(files.len(), expected.len(), "{}: manifests of {list}", case.name);
    for (file, expected) in files.iter().zip(expected) {
        assert_eq!(file_facts(file), without(expected, "entries"), "{}: {}", case.name, file.manifest_path);
        let entries = expected["entries"].as_array().unwrap();
        let found = entry_facts(case, &table, file, entries)?;
        assert_eq!(found.len(), entries.len(), "{}: {}", case.name, file.manifest_path);
        for (found, entry) in found.iter().zip(entries) {
            assert_eq!(found, &normal(entry), "{}: {}", case.name, file.manifest_path);
        }
        *manifests += 1;
    }
    Ok(())
}

fn without(object: &Json, key: &str) -> Json {
    let mut object = object.clone();
    object.as_object_mut().unwrap().remove(key);
    object
}

/// An expected entry without the decoded bounds (their bytes are compared) and without what is null or empty.
fn normal(entry: &Json) -> Json {
    let mut entry = entry.clone();
    for value in entry["partition"].as_array_mut().unwrap() {
        let type_name = value.as_object_mut().unwrap().remove("type").unwrap();
        value["value"] = as_we_write(&value["value"], type_name.as_str().unwrap());
    }
    for bounds in ["lower_bounds", "upper_bounds"] {
        if let Some(bounds) = entry[bounds].as_object_mut() {
            for bound in bounds.values_mut() {
                *bound = bound["hex"].clone();
            }
        }
    }
    strip(entry)
}

fn strip(mut facts: Json) -> Json {
    let empty = |fact: &Json| fact.is_null() || fact.as_object().is_some_and(Map::is_empty);
    facts.as_object_mut().unwrap().retain(|_, fact| !empty(fact));
    facts
}

fn file_facts(file: &ManifestFile) -> Json {
    let mut facts = json!({
        "path": file.manifest_path,
        "content": if file.content == ManifestContent::Data { "data" } else { "deletes" },
        "length": file.manifest_length,
        "spec_id": file.partition_spec_id,
        "sequence_number": file.sequence_number,
        "min_sequence_number": file.min_sequence_number,
        "added_snapshot_id": file.added_snapshot_id,
        "added_files": file.added_files_count,
        "existing_files": file.existing_files_count,
        "deleted_files": file.deleted_files_count,
        "added_rows": file.added_rows_count,
        "existing_rows": file.existing_rows_count,
        "deleted_rows": file.deleted_rows_count,
    });
    if let Some(first) = file.first_row_id {
        facts["first_row_id"] = Json::from(first);
    }
    if let Some(summaries) = &file.partitions {
        let summaries = summaries.iter().map(|summary| {
            json!({
                "contains_null": summary.contains_null,
                "contains_nan": summary.contains_nan,
                "lower_hex": summary.lower_bound.as_deref().map(hex),
                "upper_hex": summary.upper_bound.as_deref().map(hex),
            })
        });
        facts["partition_summaries"] = summaries.collect();
    }
    facts
}

fn hex(bytes: &[u8]) -> String {
    floeberg_core::value::format_hex(bytes)
}

fn entry_facts(
    case: &Case,
    table: &TableMetadata,
    file: &ManifestFile,
    expected: &[Json],
) -> Result<Vec<Json>> {
    let bytes = fs::read(case.place(&file.manifest_path)).unwrap();
    let partition_type = table.spec(file.partition_spec_id)?.partition_type(table)?;
    let request =
        EntryRequest { statistics_of: columns(expected), with_deleted: true, ..EntryRequest::default() };
    let entries = parse_manifest(&bytes, file, &partition_type, &request)?;
    (0..entries.len()).map(|row| facts_of_row(&entries, &partition_type, row)).collect()
}

/// The columns that any expected entry has statistics of.
fn columns(expected: &[Json]) -> Vec<i32> {
    let keys = ["value_counts", "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds"];
    let maps = expected.iter().flat_map(|entry| keys.iter().filter_map(|key| entry[key].as_object()));
    maps.flat_map(Map::keys).map(|id| id.parse().unwrap()).collect()
}

fn facts_of_row(entries: &ManifestEntries, partition_type: &StructType, row: usize) -> Result<Json> {
    let long = |array: &Int64Array| array.is_valid(row).then(|| array.value(row));
    let longs = |array: ArrayRef| -> Vec<i64> {
        match array.as_primitive_opt::<Int64Type>() {
            Some(longs) => longs.values().to_vec(),
            None => array.as_primitive::<Int32Type>().values().iter().map(|id| i64::from(*id)).collect(),
        }
    };
    let mut partition = Vec::new();
    for (place, field) in partition_type.fields.iter().enumerate() {
        let value = from_array(entries.partition.column(place), row, &field.field_type)?;
        let value = to_json(value.as_ref(), &field.field_type)?;
        partition.push(json!({"field_id": field.id, "name": field.name, "value": value}));
    }
    let offsets = &entries.split_offsets;
    let details = entries.details().unwrap();
    let ids = &details.equality_ids;
    let referenced = &details.referenced_data_file;
    let order = &details.sort_order_id;
    let status = ["existing", "added", "deleted"][entries.status.value(row) as usize];
    let content = ["data", "position_deletes", "equality_deletes"][entries.file_content.value(row) as usize];
    let mut facts = json!({
        "status": status,
        "snapshot_id": long(&details.snapshot_id),
        "sequence_number": entries.data_sequence_number.value(row),
        "file_sequence_number": long(&details.file_sequence_number),
        "content": content,
        "path": entries.file_path.value(row),
        "format": entries.file_format.value(row),
        "spec_id": entries.spec_id,
        "partition": partition,
        "record_count": entries.record_count.value(row),
        "file_size": entries.file_size_in_bytes.value(row),
        "sort_order_id": order.is_valid(row).then(|| order.value(row)),
        "split_offsets": offsets.is_valid(row).then(|| longs(offsets.value(row))),
        "equality_ids": ids.is_valid(row).then(|| longs(ids.value(row))),
        "first_row_id": long(&entries.first_row_id),
        "referenced_data_file": referenced.is_valid(row).then(|| referenced.value(row)),
        "content_offset": long(&details.content_offset),
        "content_size": long(&details.content_size_in_bytes),
    });
    for (id, statistics) in &entries.statistics {
        let id = id.to_string();
        let counts = [
            ("value_counts", &statistics.value_count),
            ("null_value_counts", &statistics.null_value_count),
            ("nan_value_counts", &statistics.nan_value_count),
        ];
        for (key, counts) in counts {
            if let Some(count) = long(counts) {
                put(&mut facts, key, &id, Json::from(count));
            }
        }
        for (key, bounds) in
            [("lower_bounds", &statistics.lower_bound), ("upper_bounds", &statistics.upper_bound)]
        {
            if let Some(bound) = bytes(bounds, row) {
                put(&mut facts, key, &id, Json::from(hex(bound)));
            }
        }
    }
    Ok::<_, Error>(strip(facts))
}

fn bytes(array: &BinaryArray, row: usize) -> Option<&[u8]> {
    array.is_valid(row).then(|| array.value(row))
}

fn put(facts: &mut Json, map: &str, key: &str, value: Json) {
    if facts[map].is_null() {
        facts[map] = json!({});
    }
    facts[map][key] = value;
}
